/* recording_progress.h: the lines that `vmtap record` prints about a recording's size and rate, and
 * when they are due. */
#ifndef VMTAP_SOURCE_RECORDING_PROGRESS_H
#define VMTAP_SOURCE_RECORDING_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/recording.h"

/*
 * "3 events, 0.1 MB, 0.1 MB/s, 0 lost": the rate is that since the counts before, elapsed_ms ago.
 * If is_compressed, the line also has the size of the file.
 */
void recording_progress_line(char *line, size_t size, const struct recording_counts *counts,
	const struct recording_counts *before, int64_t elapsed_ms, bool is_compressed);

/* Returns true if a recording that began elapsed_ms ago is both large and fast. Then line names
 * options that make it smaller. */
bool recording_progress_advice(char *line, size_t size, uint64_t bytes, int64_t elapsed_ms);

/*
 * Returns true if a line that cannot be overwritten (output is not a terminal) is due, and doubles
 * the time of the next one. *next_ms is 0 at first. The last line is only due if there was another.
 */
bool recording_progress_due(int64_t elapsed_ms, bool is_last, int64_t *next_ms);

#endif
