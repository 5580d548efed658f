/*
 * what_works.h: after a verb has refused a process that serves no event stream: which commands show
 * its calls, if it has USDT probes of them, or else where its time goes.
 */
#ifndef VMTAP_CLI_WHAT_WORKS_H
#define VMTAP_CLI_WHAT_WORKS_H

struct target_spec;

/* Says so for the first process that serves no stream, or says nothing if there is none. */
void what_works_tell(const char *verb, const struct target_spec *spec);

#endif
