/*
 * kernel.d: the kernel's own types, as Solaris calls them. Scripts pass pointers to them on and
 * cast to them; what they hold only a kernel source could say, so they have no members here.
 */
typedef struct mutex kmutex_t;
typedef struct krwlock krwlock_t;
typedef struct kthread kthread_t;
typedef struct proc proc_t;
typedef struct vnode vnode_t;
typedef struct dev_info dev_info_t;
typedef struct msgb mblk_t;
typedef struct siginfo siginfo_t;
