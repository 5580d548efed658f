/*
 * kernel.d: the kernel's own types by their Solaris names. Scripts pass on pointers to them and
 * cast to them. Those that Linux has no struct of are without members.
 */
typedef struct mutex kmutex_t;
typedef struct krwlock krwlock_t;
typedef struct kthread kthread_t;
typedef struct proc proc_t;
typedef struct vnode vnode_t;
typedef struct dev_info dev_info_t;
typedef struct msgb mblk_t;

/* A signal, by proc:::signal-handle. Of the last four those are set that the signal has. */
typedef struct siginfo {
	int si_signo;
	int si_errno;
	int si_code;
	pid_t si_pid;
	uid_t si_uid;
	int si_status;
	uintptr_t si_addr;
} siginfo_t;
