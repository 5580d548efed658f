/*
 * known.h: the contracts that come with vmtap, built into the command: provider vm and the
 * compatible providers of other runtimes (probes/compat). They tell what a binary's notes
 * do not: a probe's stability, its arguments' names and types, which of GHC's event types
 * it is.
 */
#ifndef VMTAP_CONTRACT_KNOWN_H
#define VMTAP_CONTRACT_KNOWN_H

#include <stddef.h>

struct contract;
struct error;

struct known_contract {
	const char *name; /* of the file, without ".d" */
	const char *text;
	size_t length;
};

/* Made by the build from probes/; provider vm comes first. */
extern const struct known_contract known_contracts[];
extern const size_t known_contract_count;

/*
 * The contract of a provider, which is its only one; the caller frees it. -ENOENT when
 * none of that name comes with vmtap; *contract is NULL then.
 */
int known_contract_read(const char *provider, struct contract **contract, struct error *error);

#endif
