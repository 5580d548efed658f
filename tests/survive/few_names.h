/*
 * few_names.h: the names that simulated threads fire. Included by the two programs of schedules,
 * whose own objects are restored before each schedule in different ways.
 */
#ifndef TESTS_SURVIVE_FEW_NAMES_H
#define TESTS_SURVIVE_FEW_NAMES_H

#include "shim/core/name.h"

enum { FEW_NAME_BYTES = 40 };

/*
 * Fills the table of names up to a few, so that some schedules have to do without, and initialises
 * the names and their texts.
 */
static inline void few_names(
	struct vmtap_name *names, char (*texts)[FEW_NAME_BYTES], unsigned count)
{
	static char text[NAME_LENGTH_MAX + 1];
	struct vmtap_name filler;
	unsigned length = NAME_LENGTH_MAX;

	memset(text, 'x', NAME_LENGTH_MAX);
	while (length > 130) {
		vmtap_name_init(&filler, text, length);
		if (!name_take(&filler))
			length /= 2;
	}
	for (unsigned i = 0; i < count; i++) {
		snprintf(texts[i], sizeof(texts[i]), "name number %u %.*s", i, (int)i * 6,
			"with a longer text than others");
		vmtap_name_init(&names[i], texts[i], strlen(texts[i]));
	}
}

#endif
