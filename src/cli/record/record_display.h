/*
 * record_display.h: shows on standard error how a recording goes: on a terminal one line that is
 * overwritten, elsewhere few lines; and what makes a large recording smaller.
 */
#ifndef VMTAP_CLI_RECORD_DISPLAY_H
#define VMTAP_CLI_RECORD_DISPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "source/recording.h"

struct record_display {
	bool is_terminal;
	bool is_compressed;
	bool may_advise; /* on what makes it smaller */
	bool has_advised;
	int64_t begun, shown;           /* when, ms; shown: when the line was last shown */
	int64_t next_line;              /* when the next line is due after begun, elsewhere */
	struct recording_counts before; /* what it said then */
};

/* Milliseconds on CLOCK_MONOTONIC. */
int64_t record_display_now(void);

/* Begins: the recording has its file now. */
void record_display_begin(struct record_display *display);

/* Shows the counts if that is due; last: in any case, as the last line. */
void record_display_show(
	struct record_display *display, const struct recording_counts *counts, bool last);

/* Returns the milliseconds until the line is to be shown again; -1: never. */
int64_t record_display_due(const struct record_display *display);

#endif
