/* sample_notes.c: see sample_notes.h. */
#include "cli/sample_notes.h"

#include <inttypes.h>

#include "cli/cli.h"
#include "engine/output/writer.h"
#include "engine/store/places.h"
#include "engine/store/value.h"

enum { SMALL_PERCENT = 5 };

void sample_notes_take(struct sample_notes *notes, struct places *places,
	const struct aggregate_row *row, uint64_t weight)
{
	const unsigned last = row->shape->count - 1;
	const struct text *stack;
	struct symbol found;

	if (row->shape->types[last].kind != D_VALUE_STACK)
		return;
	stack = value_text(row->keys[last]);
	if (!stack || !place_process(stack) || !place_count(stack))
		return;
	notes->samples += weight;
	if (place_count(stack) == 1)
		notes->single += weight;
	if (!places_find(places, place_process(stack), place_address(stack, 0), &found))
		notes->nameless += weight;
}

static uint64_t percent(const struct sample_notes *notes, uint64_t weight)
{
	return notes->samples ? (weight * 100 + notes->samples / 2) / notes->samples : 0;
}

void sample_notes_tell(const struct sample_notes *notes)
{
	if (percent(notes, notes->nameless) >= SMALL_PERCENT)
		cli_message(
			"%" PRIu64
			" %% of the samples are in code that belongs to no file and has no name, "
			"as of a JIT compiler: node writes names with --perf-basic-prof, other "
			"runtimes into /tmp/perf-PID.map",
			percent(notes, notes->nameless));
	if (percent(notes, notes->single) >= SMALL_PERCENT)
		cli_message("%" PRIu64
			    " %% of the stacks have only one frame: compiled code without frame "
			    "pointers hides its callers (java keeps them with "
			    "-XX:+PreserveFramePointer)",
			percent(notes, notes->single));
}
