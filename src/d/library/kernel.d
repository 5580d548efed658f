/*
 * kernel.d: the kernel's own types by their Solaris names. Scripts pass on pointers to them and
 * cast to them. They have no members here, since only a kernel source could read their contents.
 */
typedef struct mutex kmutex_t;
typedef struct krwlock krwlock_t;
typedef struct kthread kthread_t;
typedef struct proc proc_t;
typedef struct vnode vnode_t;
typedef struct dev_info dev_info_t;
typedef struct msgb mblk_t;
typedef struct siginfo siginfo_t;
