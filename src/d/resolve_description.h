/*
 * resolve_description.h: finds the probes that descriptions match. Private to src/d.
 */
#ifndef VMTAP_D_RESOLVE_DESCRIPTION_H
#define VMTAP_D_RESOLVE_DESCRIPTION_H

#include "d/ast.h"

/*
 * The probes that a description matches, ascending, followed by later_count absent ones that may
 * appear later. The caller frees the array (free()). Tick probes are created on demand. If no
 * existing probe matches, that is D_PDESC_ZERO unless option zdefs is set.
 */
int d_description_resolve(struct d_compiler *compiler, const struct d_description *description,
	uint32_t **probes, size_t *count, size_t *later_count);

/*
 * Finds out whether a description means only the engine's own probes: it matches one, and its
 * provider or its name has no wildcards. To be called while no other probes are known.
 */
int d_description_find_own(struct d_compiler *compiler, struct d_description *description);

/* The process number at the end of the provider's name: 1234 for ccl1234 and vm*1234; 0: none. */
uint32_t d_description_process(const struct d_description *description);

/*
 * Whether it fits probes of any process: its provider has wildcards or is not named, or, with
 * zdefs, it names a process that may exist later.
 */
bool d_description_is_any(const struct d_description *description, bool zdefs);

/* "vm1:::gc-start" with all four parts, for messages; lives as long as the script. */
const char *d_description_text(
	struct d_compiler *compiler, const struct d_description *description);

#endif
