/*
 * procfs.d: processes and threads as /proc describes them: curpsinfo, curlwpsinfo.
 *
 * Some members are known to every source of events. The others read the kernel's data
 * (vmtap`process, vmtap`thread), which only a kernel source can do: with other sources,
 * a program that reads such a member is refused when it starts.
 */
typedef struct timestruc {
	long tv_sec;
	long tv_nsec;
} timestruc_t;

typedef struct psinfo {
	int pr_flag;
	int pr_nlwp;
	pid_t pr_pid;
	pid_t pr_ppid;
	pid_t pr_pgid;
	pid_t pr_sid;
	uid_t pr_uid;
	uid_t pr_euid;
	gid_t pr_gid;
	gid_t pr_egid;
	uintptr_t pr_addr;
	size_t pr_size;
	size_t pr_rssize;
	dev_t pr_ttydev;
	ushort_t pr_pctcpu;
	ushort_t pr_pctmem;
	timestruc_t pr_start;
	string pr_fname;
	string pr_psargs;
	int pr_wstat;
	int pr_argc;
	uintptr_t pr_argv;
	uintptr_t pr_envp;
	char pr_dmodel;
	id_t pr_taskid;
	id_t pr_projid;
	int pr_nzomb;
	id_t pr_poolid;
	zoneid_t pr_zoneid;
	id_t pr_contract;
} psinfo_t;

typedef struct lwpsinfo {
	int pr_flag;
	id_t pr_lwpid;
	uintptr_t pr_addr;
	uintptr_t pr_wchan;
	char pr_stype;
	char pr_state;
	char pr_sname;
	char pr_nice;
	short pr_syscall;
	char pr_oldpri;
	char pr_cpu;
	int pr_pri;
	ushort_t pr_pctcpu;
	timestruc_t pr_start;
	timestruc_t pr_time;
	string pr_clname;
	string pr_name;
	processorid_t pr_onpro;
	processorid_t pr_bindpro;
	processorid_t pr_bindpset;
} lwpsinfo_t;

inline char SSLEEP = 1;
inline char SRUN = 2;
inline char SZOMB = 3;
inline char SSTOP = 4;
inline char SIDL = 5;
inline char SONPROC = 6;
inline char SWAIT = 7;

inline int PR_STOPPED = 0x00000001;
inline int PR_ISTOP = 0x00000002;
inline int PR_DSTOP = 0x00000004;
inline int PR_STEP = 0x00000008;
inline int PR_ASLEEP = 0x00000010;
inline int PR_PCINVAL = 0x00000020;
inline int PR_ASLWP = 0x00000040;
inline int PR_AGENT = 0x00000080;
inline int PR_DETACH = 0x00000100;
inline int PR_DAEMON = 0x00000200;
inline int PR_ISSYS = 0x00001000;
inline int PR_VFORKP = 0x00002000;
inline int PR_ORPHAN = 0x00004000;
inline int PR_FORK = 0x00100000;
inline int PR_RLC = 0x00200000;
inline int PR_KLC = 0x00400000;
inline int PR_ASYNC = 0x00800000;
inline int PR_MSACCT = 0x01000000;
inline int PR_BPTADJ = 0x02000000;
inline int PR_PTRACE = 0x04000000;
inline int PR_MSFORK = 0x08000000;
inline int PR_IDLE = 0x10000000;

inline char PR_MODEL_ILP32 = 1;
inline char PR_MODEL_LP64 = 2;

/*
 * The process and the thread that the event is from. These translators take types of their
 * own, not numbers, since a script may define a translator that takes a number.
 */
translator psinfo_t < struct vmtap_process *P > {
	pr_pid = pid;
	pr_ppid = ppid;
	pr_uid = uid;
	pr_gid = gid;
	pr_fname = execname;
	pr_psargs = execargs;
	pr_flag = vmtap`process;
	pr_nlwp = vmtap`process;
	pr_pgid = vmtap`process;
	pr_sid = vmtap`process;
	pr_euid = vmtap`process;
	pr_egid = vmtap`process;
	pr_addr = vmtap`process;
	pr_size = vmtap`process;
	pr_rssize = vmtap`process;
	pr_ttydev = vmtap`process;
	pr_pctcpu = vmtap`process;
	pr_pctmem = vmtap`process;
	pr_wstat = vmtap`process;
	pr_argc = vmtap`process;
	pr_argv = vmtap`process;
	pr_envp = vmtap`process;
	pr_dmodel = vmtap`process;
	pr_taskid = vmtap`process;
	pr_projid = vmtap`process;
	pr_nzomb = vmtap`process;
	pr_poolid = vmtap`process;
	pr_zoneid = vmtap`process;
	pr_contract = vmtap`process;
	pr_start = *(timestruc_t *)vmtap`process;
};

/* A process given as the kernel's task_struct. */
translator psinfo_t < struct task_struct *T > {
	pr_pid = vmtap`process;
	pr_ppid = vmtap`process;
	pr_uid = vmtap`process;
	pr_gid = vmtap`process;
	pr_fname = stringof(vmtap`process);
	pr_psargs = stringof(vmtap`process);
	pr_nlwp = vmtap`process;
	pr_pgid = vmtap`process;
	pr_sid = vmtap`process;
	pr_euid = vmtap`process;
	pr_egid = vmtap`process;
	pr_addr = (uintptr_t)T;
	pr_ttydev = vmtap`process;
	pr_argc = vmtap`process;
	pr_argv = vmtap`process;
	pr_envp = vmtap`process;
	pr_dmodel = vmtap`process;
	pr_projid = vmtap`process;
	pr_zoneid = vmtap`process;
};

translator lwpsinfo_t < struct vmtap_thread *T > {
	pr_lwpid = tid;
	pr_onpro = cpu;
	pr_flag = vmtap`thread;
	pr_addr = vmtap`thread;
	pr_wchan = vmtap`thread;
	pr_stype = vmtap`thread;
	pr_state = vmtap`thread;
	pr_sname = vmtap`thread;
	pr_nice = vmtap`thread;
	pr_syscall = vmtap`thread;
	pr_oldpri = vmtap`thread;
	pr_cpu = vmtap`thread;
	pr_pri = vmtap`thread;
	pr_pctcpu = vmtap`thread;
	pr_clname = stringof(vmtap`thread);
	pr_name = stringof(vmtap`thread);
	pr_bindpro = vmtap`thread;
	pr_bindpset = vmtap`thread;
	pr_start = *(timestruc_t *)vmtap`thread;
	pr_time = *(timestruc_t *)vmtap`thread;
};

translator lwpsinfo_t < struct task_struct *T > {
	pr_lwpid = vmtap`thread;
	pr_onpro = vmtap`thread;
	pr_flag = vmtap`thread;
	pr_addr = (uintptr_t)T;
	pr_wchan = vmtap`thread;
	pr_stype = vmtap`thread;
	pr_state = vmtap`thread;
	pr_sname = vmtap`thread;
	pr_nice = vmtap`thread;
	pr_syscall = vmtap`thread;
	pr_pri = vmtap`thread;
	pr_clname = stringof(vmtap`thread);
	pr_name = stringof(vmtap`thread);
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((struct vmtap_process *)NULL);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> ((struct vmtap_thread *)NULL);

/* Linux has no zones: everything runs in what Solaris calls the global one. */
inline string zonename = "global";

/* The probes' arguments, to check scripts against. Only a kernel source has the probes. */
provider proc {
	probe create(psinfo_t *);
	probe exec(string);
	probe exec__failure(int);
	probe exec__success();
	probe exit(int);
	probe fault(int, siginfo_t *);
	probe lwp__create(lwpsinfo_t *, psinfo_t *);
	probe lwp__exit();
	probe lwp__start();
	probe signal__clear(int);
	probe signal__discard(lwpsinfo_t *, psinfo_t *, int);
	probe signal__handle(int, siginfo_t *, uintptr_t);
	probe signal__send(lwpsinfo_t *, psinfo_t *, int);
	probe start();
};
