/*
 * resolve_dependency.h: "#pragma D depends_on": the providers and modules that a script or a
 * library says it needs. Private to src/d.
 *
 * A script that depends on something that is not there is wrong, a library is passed over. The
 * engine's own providers are always there; of others it is known once the probes of the source
 * are.
 */
#ifndef VMTAP_D_RESOLVE_DEPENDENCY_H
#define VMTAP_D_RESOLVE_DEPENDENCY_H

#include "d/compiler.h"

struct d_dependency {
	struct d_dependency *next;
	struct d_place place;
	bool provider; /* else a module */
	const char *name;
};

/* Whether it is there, of the probes that are known. */
bool d_dependency_is_met(const struct d_compiler *compiler, bool provider, const char *name);

/*
 * The unit that is read depends on a provider or module. It fails if that is not there, or
 * waits with the unit until it is known.
 */
int d_dependency_add(
	struct d_compiler *compiler, const struct d_place *place, bool provider, const char *name);

/* Fails for the first of the list that is not met. */
int d_dependencies_check(struct d_compiler *compiler, const struct d_dependency *list);

#endif
