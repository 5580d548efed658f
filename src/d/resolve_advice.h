/*
 * resolve_advice.h: what to say to a user whose probe description matches nothing. Private to
 * src/d.
 */
#ifndef VMTAP_D_RESOLVE_ADVICE_H
#define VMTAP_D_RESOLVE_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "d/ast.h"

#define D_ADVICE_PROFILE                                                                           \
	" (profile-N, N from 1, with ns us ms s m h d or hz; at most 5000 a second)"
#define D_ADVICE_TICK " (tick-N, N from 1, with ns us ms s m h d or hz; at most 5000 a second)"

/*
 * Writes what the description may have meant, or where such a probe could come from, in parentheses
 * after a space; "" if nothing is known.
 */
void d_advice(const struct d_compiler *compiler, const struct d_description *description,
	char *buffer, size_t size);

/*
 * Whether a description of this provider may match nothing if another description matches (option
 * anydefs). It may not if no source has this provider of the machine.
 */
bool d_advice_may_be_missing(const struct d_compiler *compiler, const char *provider);

#endif
