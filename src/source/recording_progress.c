/* recording_progress.c: see recording_progress.h. */
#include "source/recording_progress.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	FIRST_LINE_MS = 10000,
	LARGE_MB = 64, /* at this size and this rate, advice is given */
	LARGE_MB_EACH_SECOND = 16
};

void recording_progress_line(char *line, size_t size, const struct recording_counts *counts,
	const struct recording_counts *before, int64_t elapsed_ms, bool is_compressed)
{
	char stored[32] = "";

	if (is_compressed)
		snprintf(stored, sizeof(stored), " as %.1f MB", (double)counts->stored / 1e6);
	snprintf(line, size, "%" PRIu64 " events, %.1f MB%s, %.1f MB/s, %" PRIu64 " lost",
		counts->events, (double)counts->bytes / 1e6, stored,
		(double)(counts->bytes - before->bytes) / 1e3 /
			(double)(elapsed_ms > 0 ? elapsed_ms : 1),
		counts->lost);
}

bool recording_progress_advice(char *line, size_t size, uint64_t bytes, int64_t elapsed_ms)
{
	double mb = (double)bytes / 1e6;

	if (mb < LARGE_MB || mb * 1e3 < (double)LARGE_MB_EACH_SECOND * (double)elapsed_ms)
		return false;
	snprintf(line, size,
		"%.0f MB in %.1f s: --samples records samples of time instead of every event, "
		"-n only some probes; --max-size and --rotate limit the file",
		mb, (double)elapsed_ms / 1e3);
	return true;
}

bool recording_progress_due(int64_t elapsed_ms, bool is_last, int64_t *next_ms)
{
	if (!*next_ms)
		*next_ms = FIRST_LINE_MS;
	if (is_last ? *next_ms <= FIRST_LINE_MS : elapsed_ms < *next_ms)
		return false;
	*next_ms *= 2;
	return true;
}
