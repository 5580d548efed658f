/*
 * resolve_description.h: probe descriptions to probes. Private to src/d.
 */
#ifndef VMTAP_D_RESOLVE_DESCRIPTION_H
#define VMTAP_D_RESOLVE_DESCRIPTION_H

#include "d/ast.h"

/*
 * The probes that a description matches, ascending, in memory of the caller's (free()), behind
 * them later_count that are absent and may come. Tick probes are made on demand. No match, of
 * those that are there, is D_PDESC_ZERO unless option zdefs is set.
 */
int d_description_resolve(struct d_compiler *compiler, const struct d_description *description,
	uint32_t **probes, size_t *count, size_t *later_count);

/*
 * Finds out whether a description means the engine's own probes and no others: it matches one,
 * and spells its provider or its name out. To be called while no others are known.
 */
int d_description_find_own(struct d_compiler *compiler, struct d_description *description);

/* The process that the provider's name ends with: 1234 of ccl1234 and vm*1234; 0: none. */
uint32_t d_description_process(const struct d_description *description);

/* "vm1:::gc-start" with all four parts, for messages; lives as long as the script. */
const char *d_description_text(
	struct d_compiler *compiler, const struct d_description *description);

#endif
