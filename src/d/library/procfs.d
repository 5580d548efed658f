/*
 * procfs.d: processes and threads as /proc describes them: curpsinfo, curlwpsinfo.
 *
 * Some members are known to every source of events. The others read the kernel's data
 * (vmtap`process, vmtap`thread), which only a kernel source can do: with other sources,
 * a program that reads such a member is refused when it starts. Members that no source can give
 * are vmtap`others or vmtap`paths, which are refused with a line that says why.
 */
typedef struct timestruc {
	long tv_sec;
	long tv_nsec;
} timestruc_t;

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
	timestruc_t pr_time;
	timestruc_t pr_ctime;
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
	lwpsinfo_t pr_lwp;
} psinfo_t;

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
 * When a thread began, since 1970; how long it has run; how long its children that have ended have run.
 * The structs have no members: their names choose between translators of one task_struct.
 */
translator timestruc_t < struct vmtap_begin *T > {
	tv_sec = (long)(walltimestamp - timestamp + ((struct task_struct *)T)->start_time) / 1000000000;
	tv_nsec = (long)(walltimestamp - timestamp + ((struct task_struct *)T)->start_time) % 1000000000;
};

translator timestruc_t < struct vmtap_run *T > {
	tv_sec = ((struct task_struct *)T)->se.sum_exec_runtime / 1000000000;
	tv_nsec = ((struct task_struct *)T)->se.sum_exec_runtime % 1000000000;
};

translator timestruc_t < struct vmtap_children *T > {
	tv_sec = (((struct task_struct *)T)->signal->cutime + ((struct task_struct *)T)->signal->cstime) /
		1000000000;
	tv_nsec = (((struct task_struct *)T)->signal->cutime + ((struct task_struct *)T)->signal->cstime) %
		1000000000;
};

/*
 * A process given as the kernel's struct of one of its threads. Numbers of processes are those of
 * the pid namespace that vmtap is in (compile_library.c). What Linux does not have is 0.
 */
translator psinfo_t < struct task_struct *T > {
	pr_flag = 0;
	pr_nlwp = T->signal->nr_threads;
	pr_pid = vmtap_process_number[T];
	pr_ppid = vmtap_process_number[T->real_parent];
	pr_pgid = vmtap_number[T->signal->pids[2]];
	pr_sid = vmtap_number[T->signal->pids[3]];
	pr_uid = T->cred->uid.val;
	pr_euid = T->cred->euid.val;
	pr_gid = T->cred->gid.val;
	pr_egid = T->cred->egid.val;
	pr_addr = (uintptr_t)T;
	pr_size = T->mm == NULL ? 0 : T->mm->total_vm * 4;
	pr_rssize = 0;
	pr_ttydev = T->signal->tty ? T->signal->tty->driver->major << 20 |
		(T->signal->tty->driver->minor_start + T->signal->tty->index) : -1;
	pr_pctcpu = 0;
	pr_pctmem = 0;
	pr_fname = stringof(T->group_leader->comm);
	pr_wstat = 0;
	pr_start = xlate <timestruc_t> ((struct vmtap_begin *)T->group_leader);
	pr_ctime = xlate <timestruc_t> ((struct vmtap_children *)T);
	pr_lwp = xlate <lwpsinfo_t> (T);
	pr_psargs = stringof(vmtap`others);
	pr_argc = vmtap`others;
	pr_argv = T->mm == NULL ? 0 : T->mm->arg_start;
	pr_envp = T->mm == NULL ? 0 : T->mm->env_start;
	pr_dmodel = (T->thread_info.flags >> 29 & 1) ? PR_MODEL_ILP32 : PR_MODEL_LP64;
	pr_taskid = 0;
	pr_projid = 0;
	pr_nzomb = 0;
	pr_poolid = 0;
	pr_zoneid = 0;
	pr_contract = 0;
};

/* A higher pr_pri is a higher priority, as elsewhere: 0 to 39 is a nice value of 19 to -20. */
translator lwpsinfo_t < struct task_struct *T > {
	pr_flag = T->__state & 0xc ? 1 : 0;
	pr_lwpid = vmtap_thread_number[T];
	pr_addr = (uintptr_t)T;
	pr_wchan = 0;
	pr_stype = 0;
	pr_state = T->exit_state || T->__state & 0x80 ? SZOMB :
		T->__state & 0x3 ? SSLEEP : T->__state & 0xc ? SSTOP :
		T->__state ? SWAIT : SRUN;
	pr_sname = T->exit_state || T->__state & 0x80 ? 'Z' :
		T->__state & 0x3 ? 'S' : T->__state & 0xc ? 'T' :
		T->__state ? 'W' : 'R';
	pr_nice = T->static_prio - 120;
	pr_syscall = 0;
	pr_oldpri = 0;
	pr_cpu = 0;
	pr_pri = 139 - T->prio;
	pr_pctcpu = 0;
	pr_clname = T->policy == 0 ? "TS" : T->policy == 1 ? "FIFO" : T->policy == 2 ? "RR" :
		T->policy == 3 ? "BATCH" : T->policy == 5 ? "IDLE" :
		T->policy == 6 ? "DEADLINE" : "EXT";
	pr_name = stringof(T->comm);
	pr_onpro = T->thread_info.cpu;
	pr_start = xlate <timestruc_t> ((struct vmtap_begin *)T);
	pr_time = xlate <timestruc_t> ((struct vmtap_run *)T);
	pr_bindpro = -1;
	pr_bindpset = -1;
};

/* A thread whose priority has changed: its former priority is an argument of the probe. */
translator lwpsinfo_t < struct vmtap_changed *T > {
	pr_flag = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_flag;
	pr_lwpid = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_lwpid;
	pr_addr = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_addr;
	pr_wchan = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_wchan;
	pr_stype = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_stype;
	pr_state = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_state;
	pr_sname = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_sname;
	pr_nice = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_nice;
	pr_syscall = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_syscall;
	pr_oldpri = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_oldpri;
	pr_cpu = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_cpu;
	pr_pctcpu = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_pctcpu;
	pr_start = xlate <timestruc_t> ((struct vmtap_begin *)T);
	pr_time = xlate <timestruc_t> ((struct vmtap_run *)T);
	pr_clname = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_clname;
	pr_name = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_name;
	pr_onpro = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_onpro;
	pr_bindpro = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_bindpro;
	pr_bindpset = xlate <lwpsinfo_t *> ((struct task_struct *)T)->pr_bindpset;
	pr_pri = (int)arg3;
};

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
	pr_flag = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_flag;
	pr_nlwp = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_nlwp;
	pr_pgid = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_pgid;
	pr_sid = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_sid;
	pr_euid = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_euid;
	pr_egid = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_egid;
	pr_addr = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_addr;
	pr_size = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_size;
	pr_rssize = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_rssize;
	pr_ttydev = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_ttydev;
	pr_pctcpu = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_pctcpu;
	pr_pctmem = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_pctmem;
	pr_wstat = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_wstat;
	pr_argv = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_argv;
	pr_envp = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_envp;
	pr_dmodel = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_dmodel;
	pr_taskid = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_taskid;
	pr_projid = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_projid;
	pr_nzomb = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_nzomb;
	pr_poolid = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_poolid;
	pr_zoneid = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_zoneid;
	pr_contract = xlate <psinfo_t *> ((struct task_struct *)vmtap`process)->pr_contract;
	pr_argc = ((struct task_struct *)vmtap`process)->mm == NULL ? 0 : *(int *)((struct task_struct *)vmtap`process)->mm->start_stack;
	pr_start = xlate <timestruc_t> ((struct vmtap_begin *)((struct task_struct *)vmtap`process)->group_leader);
	pr_ctime = xlate <timestruc_t> ((struct vmtap_children *)vmtap`process);
	pr_lwp = xlate <lwpsinfo_t> ((struct vmtap_thread *)NULL);
};

translator lwpsinfo_t < struct vmtap_thread *T > {
	pr_lwpid = tid;
	pr_onpro = cpu;
	pr_flag = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_flag;
	pr_addr = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_addr;
	pr_wchan = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_wchan;
	pr_stype = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_stype;
	pr_state = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_state;
	pr_sname = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_sname;
	pr_nice = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_nice;
	pr_syscall = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_syscall;
	pr_oldpri = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_oldpri;
	pr_cpu = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_cpu;
	pr_pri = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_pri;
	pr_pctcpu = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_pctcpu;
	pr_clname = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_clname;
	pr_name = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_name;
	pr_bindpro = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_bindpro;
	pr_bindpset = xlate <lwpsinfo_t *> ((struct task_struct *)vmtap`thread)->pr_bindpset;
	pr_start = xlate <timestruc_t> ((struct vmtap_begin *)vmtap`thread);
	pr_time = xlate <timestruc_t> ((struct vmtap_run *)vmtap`thread);
};

inline psinfo_t *curpsinfo = xlate <psinfo_t *> ((struct vmtap_process *)NULL);
inline lwpsinfo_t *curlwpsinfo = xlate <lwpsinfo_t *> ((struct vmtap_thread *)NULL);

/* Linux has no zones: everything runs in what Solaris calls the global one. */
inline string zonename = "global";

translator siginfo_t < struct kernel_siginfo *I > {
	si_signo = I->si_signo;
	si_errno = I->si_errno;
	si_code = I->si_code;
	si_pid = I->_sifields._kill._pid;
	si_uid = I->_sifields._kill._uid;
	si_status = I->_sifields._sigchld._status;
	si_addr = (uintptr_t)I->_sifields._sigfault._addr;
};

/* The probes' arguments; the kernel has them. */
provider proc {
	probe create(struct task_struct *t) : (psinfo_t *t);
	probe exec(string path);
	probe exec__failure(int error);
	probe exec__success();
	probe exit(int reason);
	probe fault(int, siginfo_t *);
	probe lwp__create(struct task_struct *t, struct task_struct *p) :
		(lwpsinfo_t *t, psinfo_t *p);
	probe lwp__exit();
	probe lwp__start();
	probe signal__clear(int signal);
	probe signal__discard(struct task_struct *t, struct task_struct *p, int signal) :
		(lwpsinfo_t *t, psinfo_t *p, int signal);
	probe signal__handle(int signal, struct kernel_siginfo *info, uintptr_t handler) :
		(int signal, siginfo_t *info, uintptr_t handler);
	probe signal__send(struct task_struct *t, struct task_struct *p, int signal) :
		(lwpsinfo_t *t, psinfo_t *p, int signal);
	probe start();
};
