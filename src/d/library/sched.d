/*
 * sched.d: processors, for the sched provider and curcpu.
 */

typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;
	chipid_t cpu_chip;
	lgrp_id_t cpu_lgrp;
} cpuinfo_t;

translator cpuinfo_t < int CPU > {
	cpu_id = CPU;
	cpu_pset = vmtap`processor;
	cpu_chip = vmtap`processor;
	cpu_lgrp = vmtap`processor;
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);
inline chipid_t chip = vmtap`processor;
inline lgrp_id_t lgrp = vmtap`processor;
inline psetid_t pset = vmtap`processor;

/* The probes' arguments; the kernel has them. */
provider sched {
	probe change__pri(struct task_struct *t, struct task_struct *p, pri_t pri) :
		(lwpsinfo_t *t, psinfo_t *p, pri_t pri);
	probe dequeue(struct task_struct *t, struct task_struct *p, int processor) :
		(lwpsinfo_t *t, psinfo_t *p, cpuinfo_t *processor);
	probe enqueue(struct task_struct *t, struct task_struct *p, int processor, int is_first) :
		(lwpsinfo_t *t, psinfo_t *p, cpuinfo_t *processor, int is_first);
	probe off__cpu(struct task_struct *t, struct task_struct *p) :
		(lwpsinfo_t *t, psinfo_t *p);
	probe on__cpu();
	probe preempt();
	probe remain__cpu();
	probe schedctl__nopreempt(lwpsinfo_t *, psinfo_t *, int);
	probe schedctl__preempt(lwpsinfo_t *, psinfo_t *);
	probe schedctl__yield(int);
	probe sleep();
	probe surrender(struct task_struct *t, struct task_struct *p) :
		(lwpsinfo_t *t, psinfo_t *p);
	probe tick(struct task_struct *t, struct task_struct *p) :
		(lwpsinfo_t *t, psinfo_t *p);
	probe wakeup(struct task_struct *t, struct task_struct *p) :
		(lwpsinfo_t *t, psinfo_t *p);
};
