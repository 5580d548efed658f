/*
 * sched.d: processors, as the sched provider and curcpu speak of them.
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
