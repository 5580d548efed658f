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
	cpu_id = cpu;
	cpu_pset = vmtap`processor;
	cpu_chip = vmtap`processor;
	cpu_lgrp = vmtap`processor;
};

inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (cpu);
inline chipid_t chip = vmtap`processor;
inline lgrp_id_t lgrp = vmtap`processor;
inline psetid_t pset = vmtap`processor;

/* The probes' arguments, to check scripts against. Only a kernel source has the probes. */
provider sched {
	probe change__pri(lwpsinfo_t *, psinfo_t *, pri_t);
	probe dequeue(lwpsinfo_t *, psinfo_t *, cpuinfo_t *);
	probe enqueue(lwpsinfo_t *, psinfo_t *, cpuinfo_t *, int);
	probe off__cpu(lwpsinfo_t *, psinfo_t *);
	probe on__cpu();
	probe preempt();
	probe remain__cpu();
	probe schedctl__nopreempt(lwpsinfo_t *, psinfo_t *, int);
	probe schedctl__preempt(lwpsinfo_t *, psinfo_t *);
	probe schedctl__yield(int);
	probe sleep();
	probe surrender(lwpsinfo_t *, psinfo_t *);
	probe tick(lwpsinfo_t *, psinfo_t *);
	probe wakeup(lwpsinfo_t *, psinfo_t *);
};
