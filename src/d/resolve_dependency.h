/*
 * resolve_dependency.h: "#pragma D depends_on": the providers and modules that a script or library
 * depends on. Private to src/d.
 *
 * A missing dependency is an error in a script, but only causes a library to be skipped. The
 * engine's own providers always exist; whether others exist is known once the probes of the source
 * are known.
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

/* Whether it exists among the known probes. */
bool d_dependency_is_met(const struct d_compiler *compiler, bool provider, const char *name);

/*
 * Adds a provider or module that the unit being read depends on. Fails if it does not exist; if
 * that is not known yet, the check waits with the unit.
 */
int d_dependency_add(
	struct d_compiler *compiler, const struct d_place *place, bool provider, const char *name);

/* Fails for the first dependency in the list that is not met. */
int d_dependencies_check(struct d_compiler *compiler, const struct d_dependency *list);

#endif
