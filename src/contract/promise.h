/*
 * promise.h: the promises of providers: the stability of their names and arguments. It is
 * declared in their definitions (#pragma D attributes). The definitions that come with vmtap
 * are compiled into the command as a table; those of VM authors come with streams and binaries.
 */
#ifndef VMTAP_CONTRACT_PROMISE_H
#define VMTAP_CONTRACT_PROMISE_H

#include "base/stability.h"

struct promise {
	const char *name; /* "vm", without a pid */
	struct stability parts[STABILITY_PARTS];
};

/*
 * The attributes of a provider, whose name may contain a pid ("vm1234"): from the
 * definitions that vmtap knows, from D itself (dtrace, profile), or else the default of a
 * provider without attributes: Unstable/Unstable/Common.
 */
const struct promise *promise_find(const char *provider);

/* The same; but if own is not NULL, the attributes that the provider's own definition states. */
struct promise promise_of(const char *provider, const struct stability own[STABILITY_PARTS]);

/* The attributes that a provider's definition states; name is the definition's. */
struct contract_provider;
struct promise promise_of_contract(const struct contract_provider *provider);

/*
 * The attributes of a probe of which these parts are named (true: spelled out, not a
 * pattern): the least of the provider's attributes for these parts.
 */
struct stability promise_of_probe(
	const struct promise *promise, bool module, bool function, bool name);

/*
 * Prints "Probe Description Attributes" and "Argument Attributes" of one probe, as `dtrace
 * -lv` does: with an empty line before each heading and none at the end.
 */
void promise_print(
	FILE *output, const struct promise *promise, const char *module, const char *function);

#endif
