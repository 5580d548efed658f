/*
 * what_works.h: after a verb has refused a process that serves no event stream: which command shows
 * its calls, if it has USDT probes of them.
 */
#ifndef VMTAP_CLI_WHAT_WORKS_H
#define VMTAP_CLI_WHAT_WORKS_H

struct target_spec;

/* Says so for the first of the processes that has such probes, or says nothing. */
void what_works_tell(const struct target_spec *spec);

#endif
