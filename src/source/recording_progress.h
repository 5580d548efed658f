/* recording_progress.h: what `vmtap record` says of a recording's size and rate, and when. */
#ifndef VMTAP_SOURCE_RECORDING_PROGRESS_H
#define VMTAP_SOURCE_RECORDING_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/recording.h"

/*
 * "3 events, 0.1 MB, 0.1 MB/s, 0 lost": the rate is that since the counts before, elapsed_ms ago.
 * is_compressed: says the size of the file too.
 */
void recording_progress_line(char *line, size_t size, const struct recording_counts *counts,
	const struct recording_counts *before, int64_t elapsed_ms, bool is_compressed);

/* Returns true if a recording that began elapsed_ms ago is both large and fast. Then line names
 * what makes it smaller. */
bool recording_progress_advice(char *line, size_t size, uint64_t bytes, int64_t elapsed_ms);

/*
 * Returns whether a line that cannot be overwritten is due, and sets the time of the next one,
 * which is twice as late. *next_ms is 0 at first. The last line is only due if there was another.
 */
bool recording_progress_due(int64_t elapsed_ms, bool is_last, int64_t *next_ms);

#endif
