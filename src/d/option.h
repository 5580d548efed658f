/*
 * option.h: the options of "-x name=value" and "#pragma D option". Private to src/d.
 */
#ifndef VMTAP_D_OPTION_H
#define VMTAP_D_OPTION_H

#include <stdbool.h>

#include "d/compiler.h"

/*
 * Sets an option; value is NULL when there is no '='. in_program: it stands in a script.
 * NULL when done, else what is wrong, in DTrace's words.
 */
const char *d_option_set(
	struct d_compiler *compiler, const char *name, const char *value, bool in_program);

/*
 * A unit of time as rates and tick probes write it, any case: "ms" is 1000000 ns; "hz" is a
 * rate, and *nanoseconds the second that it divides. False: no such unit.
 */
bool d_rate_unit(const char *suffix, uint64_t *nanoseconds, bool *is_rate);

#endif
