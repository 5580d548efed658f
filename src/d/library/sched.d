/*
 * sched.d: processors, for the sched provider and curcpu. A locality group (lgrp) is a NUMA node;
 * Linux has no processor sets: all processors are in set 0.
 */

typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;
	chipid_t cpu_chip;
	lgrp_id_t cpu_lgrp;
	uintptr_t cpu_info;
} cpuinfo_t;

translator cpuinfo_t < int CPU > {
	cpu_id = CPU;
	cpu_pset = 0;
	cpu_chip = vmtap_processor(CPU, 0);
	cpu_lgrp = vmtap_processor(CPU, 1);
	cpu_info = vmtap`paths; /* refused, with the reason */
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);
inline chipid_t chip = vmtap_processor(cpu, 0);
inline lgrp_id_t lgrp = vmtap_processor(cpu, 1);
inline psetid_t pset = 0;

/* The probes' arguments; the kernel has them. */
provider sched {
	probe change__pri(struct vmtap_changed *t, struct task_struct *p, int pri, int before) :
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
