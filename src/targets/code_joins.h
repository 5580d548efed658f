/*
 * code_joins.h: new code in processes that the kernel traces, while a program runs: libraries that
 * they load, other programs that they execute. Clauses whose descriptions match the new probes are
 * enabled on them. If the process may be stopped for that, they are enabled before any of the new
 * code runs.
 */
#ifndef VMTAP_TARGETS_CODE_JOINS_H
#define VMTAP_TARGETS_CODE_JOINS_H

struct target_joiner;
struct targets;

/*
 * Call it after each batch. Says on standard error what prevents a probe from being enabled; the
 * trace continues without it.
 */
void code_joins_take(struct targets *targets, const struct target_joiner *joiner);

#endif
