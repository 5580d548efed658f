/* record_display.c: see record_display.h. */
#include "cli/record/record_display.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "source/recording_progress.h"

enum { PROGRESS_MS = 1000, LINE_MAX_BYTES = 256 };

int64_t record_display_now(void)
{
	return (int64_t)(clock_monotonic() / CLOCK_NS_PER_MS);
}

void record_display_begin(struct record_display *display)
{
	display->shown = display->begun = record_display_now();
}

/* Where a line cannot be overwritten: few of them. */
static void show_line(
	struct record_display *display, const struct recording_counts *counts, bool last)
{
	static const struct recording_counts none;
	int64_t elapsed = record_display_now() - display->begun;
	char line[LINE_MAX_BYTES];

	if (!recording_progress_due(elapsed, last, &display->next_line))
		return;
	recording_progress_line(line, sizeof(line), counts, &none, elapsed, display->is_compressed);
	cli_message("%s", line);
}

/* Says once what else there is for a recording that is both large and fast. */
static void advise(struct record_display *display, const struct recording_counts *counts)
{
	char line[LINE_MAX_BYTES];

	if (display->has_advised || !display->may_advise ||
		!recording_progress_advice(
			line, sizeof(line), counts->bytes, record_display_now() - display->begun))
		return;
	display->has_advised = true;
	if (display->is_terminal)
		putc('\n', stderr);
	cli_message("%s", line);
}

void record_display_show(
	struct record_display *display, const struct recording_counts *counts, bool last)
{
	int64_t now = record_display_now(), elapsed = now - display->shown;
	struct winsize terminal;
	char line[128];
	int width = 79; /* where the terminal does not say */

	advise(display, counts);
	if (!display->is_terminal)
		show_line(display, counts, last);
	if (!display->is_terminal || (!last && elapsed < PROGRESS_MS))
		return;
	/*
	 * A line that wraps could not be overwritten. The previous line is cleared with blanks,
	 * since not every terminal has an escape sequence for that.
	 */
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &terminal) && terminal.ws_col &&
		terminal.ws_col <= width)
		width = terminal.ws_col - 1;
	recording_progress_line(
		line, sizeof(line), counts, &display->before, elapsed, display->is_compressed);
	fprintf(stderr, "\r%-*.*s%s", width, width, line, last ? "\n" : "");
	fflush(stderr);
	display->shown = now;
	display->before = *counts;
}

int64_t record_display_due(const struct record_display *display)
{
	int64_t left = display->shown + PROGRESS_MS - record_display_now();

	return !display->is_terminal ? -1 : left > 0 ? left : 0;
}
