/*
 * check_live.h: `vmtap check --live`: runs a command with all probes on and looks at what its VMs
 * fire: the acceptance test of a port. Each process writes its events to a file of its own
 * (VMTAP_LOG), without loss; the files are read once the command has ended.
 */
#ifndef VMTAP_CLI_CHECK_LIVE_H
#define VMTAP_CLI_CHECK_LIVE_H

#include <stddef.h>

#include "contract/contract.h"
#include "usdt/elf/contract_check.h"

struct live_finding {
	const char *program;  /* that the finding is about */
	const char *kind;     /* for programs: "never-fired", "nesting"... */
	const char *provider; /* NULL: about no probe */
	const char *probe;
	const char *text;
};

struct live_check {
	const struct contract *contract; /* whose probes must fire; NULL: provider vm's, and all
					    that the VM has besides */
	const struct verify_allowed *allowed; /* that need not fire, and then must not */
	size_t allowed_count;
	void (*find)(void *context, const struct live_finding *finding);
	void *context;
};

/*
 * Runs the words and reports what it finds. Returns CLI_OK, also if there are findings, or prints
 * why the check could not be made and returns CLI_CANNOT.
 */
int check_live(const struct live_check *check, char *const *words);

#endif
