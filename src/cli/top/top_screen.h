/*
 * top_screen.h: `vmtap top` on a terminal: draws the table and takes the keys. While the screen is
 * open, the program's own standard input and output are /dev/null, so that a traced command does
 * not disturb it; of standard error the last line is shown, and the end of it is printed when the
 * screen is closed.
 */
#ifndef VMTAP_CLI_TOP_SCREEN_H
#define VMTAP_CLI_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cli/top/top_table.h"

enum { TOP_FILTER_MAX = 64 };

/* How the table is shown, which keys change. */
struct top_view {
	enum top_order order;
	char filter[TOP_FILTER_MAX]; /* only methods whose name contains it */
	bool is_paused;              /* the snapshots do not change what is shown */
	bool is_typing;              /* a filter */
	bool is_helped;              /* the keys are shown instead of the table */
	size_t first;                /* rows scrolled away */
};

enum top_wish { TOP_NOTHING, TOP_REDRAW, TOP_QUIT };

struct top_screen;

/* What a closed screen leaves room for. */
struct top_screen_size {
	size_t rows, columns;
	bool is_ascii;
};

/*
 * -ENOTTY: standard input or output is no terminal, or one that only takes lines (TERM=dumb);
 * -ENOSYS: the build has no ncurses; others and a line in error: the terminal cannot be used.
 */
int top_screen_open(struct top_screen **screen, struct error *error);

/* Restores the terminal. The screen may be NULL. */
void top_screen_close(struct top_screen *screen, struct top_screen_size *size);

/* Becomes readable when a key is pressed. */
int top_screen_descriptor(const struct top_screen *screen);

void top_screen_draw(
	struct top_screen *screen, const struct top_table *table, const struct top_view *view);

/* Takes all keys that have been pressed; also call it after signals: the size may have changed. */
enum top_wish top_screen_keys(struct top_screen *screen, struct top_view *view);

#endif
