/*
 * promise.h: what providers promise: the stability of their names and arguments. It comes
 * from their definitions (#pragma D attributes); those that come with vmtap are compiled into
 * the command as a table, since neither a process nor a stream carries attributes.
 */
#ifndef VMTAP_CONTRACT_PROMISE_H
#define VMTAP_CONTRACT_PROMISE_H

#include "base/stability.h"

struct promise {
	const char *name; /* "vm": without a pid */
	struct stability parts[STABILITY_PARTS];
};

/*
 * The attributes of a provider, which may carry a pid ("vm1234"): those of the definitions
 * that vmtap knows, D's own (dtrace, profile), else the ones of any provider that says
 * nothing: Unstable/Unstable/Common.
 */
const struct promise *promise_find(const char *provider);

/*
 * The attributes of a probe that is named by the parts given (true: spelled out, not a
 * pattern): what the provider says of each of them, the least of it.
 */
struct stability promise_of_probe(
	const struct promise *promise, bool module, bool function, bool name);

/*
 * "Probe Description Attributes" and "Argument Attributes" of one probe, as `dtrace -lv`
 * prints them: with an empty line before each heading, none after.
 */
void promise_print_probe(
	FILE *output, const char *provider, const char *module, const char *function);

#endif
