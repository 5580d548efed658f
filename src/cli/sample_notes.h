/*
 * sample_notes.h: says what the kernel's samples of a process lack: names of code that a JIT
 * compiler has made, and callers of code without frame pointers. The picture alone does not show
 * why it is shallow, or that an option of the runtime mends it.
 */
#ifndef VMTAP_CLI_SAMPLE_NOTES_H
#define VMTAP_CLI_SAMPLE_NOTES_H

#include <stdint.h>

struct aggregate_row;
struct places;

/* All zero: no samples. */
struct sample_notes {
	uint64_t samples;  /* with a stack of the process, by weight */
	uint64_t single;   /* of those, with only one frame */
	uint64_t nameless; /* in code without a file and a name */
};

/* Takes samples: the last key of the row is the process's stack. Samples that a VM has taken
 * itself, of its methods, are left out. */
void sample_notes_take(struct sample_notes *notes, struct places *places,
	const struct aggregate_row *row, uint64_t weight);

/* Writes a line for each lack that is not small, as messages of the command. */
void sample_notes_tell(const struct sample_notes *notes);

#endif
