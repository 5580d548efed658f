/*
 * translated.h: what a trial to translate a clause finds (translate.h).
 */
#ifndef VMTAP_KERNEL_TRANSLATE_TRANSLATED_H
#define VMTAP_KERNEL_TRANSLATE_TRANSLATED_H

#include <stdbool.h>
#include <stdint.h>

struct d_demand;

struct kernel_translated {
	bool is_possible;
	bool sleeps, names_site, looks_at_time, uses_frame;
	uint32_t refused_at; /* index of the instruction that cannot be translated, counted from
				the predicate's first; UINT32_MAX: the frame is too large */
};

/* The same for a clause that is to be followed (reduce/follow.h). */
struct kernel_follow {
	const struct d_demand *demand; /* the clause's; only in a trial */
	bool is_captured;              /* all that it reads at computed addresses */
	bool is_written;               /* copies of memory may have been changed */
	bool is_lost;                  /* it is not known where the code continues */
	bool has_changed;              /* what is known of variables */
};

#endif
