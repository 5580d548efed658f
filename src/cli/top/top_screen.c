/* top_screen.c: see top_screen.h. */
#include "cli/top/top_screen.h"

#if __has_include(<ncursesw/curses.h>)
#define NCURSES_WIDECHAR 1
#include <ncursesw/curses.h>
#define HAS_CURSES 1
#endif

#include <errno.h>

#ifdef HAS_CURSES

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

#include "base/clean_text.h"
#include "cli/cli.h"
#include "cli/top/top_line.h"
#include "engine/output/display.h"

/* Pairs of colors: methods that spend much or some, warnings, VMs. */
enum { MUCH = 1, SOME, WHO };

enum {
	VMS_SHOWN = 4,
	MUCH_LEAST = 2000, /* hundredths of a percent */
	SOME_LEAST = 500,
	MESSAGES_MAX = 8192, /* bytes of standard error that are kept */
	KEY_ESCAPE = 27,
	KEY_DELETE = 127,
	KEY_CONTROL_H = 8,
	KEY_CONTROL_L = 12
};

struct top_screen {
	FILE *input, *output; /* the terminal */
	SCREEN *terminal;
	int saved[3]; /* the standard streams; -1: as they are */
	int errors;   /* what standard error is now; -1: as it was */
	char messages[MESSAGES_MAX + 1];
	size_t message_size;
	bool is_ascii, has_colors;
	bool sorts[TOP_ORDERS]; /* what the table can be sorted by */
};

/* ---- standard streams ---- */

/* Reads what has been written to standard error, and keeps the end of it. */
static void take_messages(struct top_screen *screen)
{
	char bytes[MESSAGES_MAX];
	off_t size;
	ssize_t got;

	fflush(stderr);
	size = lseek(screen->errors, 0, SEEK_END);
	if (size <= 0)
		return;
	got = pread(screen->errors, bytes, sizeof(bytes),
		size > (off_t)sizeof(bytes) ? size - (off_t)sizeof(bytes) : 0);
	if (ftruncate(screen->errors, 0) || got <= 0)
		return;
	if (screen->message_size + (size_t)got > MESSAGES_MAX) {
		size_t kept = MESSAGES_MAX - (size_t)got;
		if (kept > screen->message_size)
			kept = screen->message_size;
		memmove(screen->messages, screen->messages + screen->message_size - kept, kept);
		screen->message_size = kept;
	}
	memcpy(screen->messages + screen->message_size, bytes, (size_t)got);
	screen->message_size += (size_t)got;
	screen->messages[screen->message_size] = '\0';
}

static bool redirect(struct top_screen *screen)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	fflush(stdout);
	/* in append mode, so that writers go on at the beginning when it has been emptied */
	screen->errors = memfd_create("vmtap-top", MFD_CLOEXEC);
	if (screen->errors >= 0)
		fcntl(screen->errors, F_SETFL, O_APPEND);
	for (int i = 0; i < 3; i++)
		screen->saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 3);
	if (null < 0 || screen->errors < 0 || screen->saved[0] < 0 || screen->saved[1] < 0 ||
		screen->saved[2] < 0) {
		if (null >= 0)
			close(null);
		return false;
	}
	dup2(null, 0);
	dup2(null, 1);
	dup2(screen->errors, 2);
	close(null);
	return true;
}

static void restore(struct top_screen *screen)
{
	fflush(stdout);
	if (screen->errors >= 0)
		take_messages(screen);
	for (int i = 0; i < 3; i++)
		if (screen->saved[i] >= 0) {
			dup2(screen->saved[i], i);
			close(screen->saved[i]);
		}
	if (screen->errors >= 0)
		close(screen->errors);
	if (!screen->message_size)
		return;
	/* Who wrote them found no terminal, which would have had other bytes. */
	char *clean = isatty(STDERR_FILENO) ? display_lines(screen->messages, screen->message_size)
					    : NULL;
	fputs(clean ? clean : screen->messages, stderr);
	free(clean);
}

/* ---- opening and closing ---- */

/* Colors on the terminal's own background; NO_COLOR that is not empty forbids them. */
static void take_colors(struct top_screen *screen)
{
	const char *forbidden = getenv("NO_COLOR");

	screen->has_colors = !(forbidden && *forbidden) && has_colors() && start_color() == OK &&
		use_default_colors() == OK;
	if (!screen->has_colors)
		return;
	init_pair(MUCH, COLOR_RED, -1);
	init_pair(SOME, COLOR_YELLOW, -1);
	init_pair(WHO, COLOR_CYAN, -1);
}

/* A color, or what stands for it on a terminal without colors. */
static attr_t color(const struct top_screen *screen, int pair, attr_t otherwise)
{
	return screen->has_colors ? (attr_t)COLOR_PAIR(pair) : otherwise;
}

int top_screen_open(struct top_screen **result, struct error *error)
{
	struct top_screen *screen;
	const char *kind = getenv("TERM");
	int in, out;

	*result = NULL;
	if (!isatty(STDIN_FILENO) || !cli_is_screen(STDOUT_FILENO))
		return -ENOTTY;
	screen = calloc(1, sizeof(*screen));
	if (!screen)
		return error_set(error, ENOMEM, "out of memory");
	screen->saved[0] = screen->saved[1] = screen->saved[2] = screen->errors = -1;
	in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	screen->input = in < 0 ? NULL : fdopen(in, "r");
	screen->output = out < 0 ? NULL : fdopen(out, "w");
	setlocale(LC_CTYPE, "");
	screen->is_ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	if (screen->input && screen->output)
		screen->terminal = newterm(kind, screen->output, screen->input);
	if (!screen->terminal) {
		top_screen_close(screen, NULL);
		return error_set(
			error, EINVAL, "the terminal (TERM=%s) cannot be used", kind ? kind : "");
	}
	set_term(screen->terminal);
	cbreak();
	noecho();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	set_escdelay(25);
	curs_set(0);
	take_colors(screen);
	if (!redirect(screen)) {
		top_screen_close(screen, NULL);
		return error_set(error, EMFILE, "the screen cannot be opened: %m");
	}
	*result = screen;
	return 0;
}

void top_screen_close(struct top_screen *screen, struct top_screen_size *size)
{
	if (size)
		*size = (struct top_screen_size){0};
	if (!screen)
		return;
	if (screen->terminal) {
		if (size)
			*size = (struct top_screen_size){
				(size_t)LINES, (size_t)COLS, screen->is_ascii};
		/* a terminal without a second screen would keep what was drawn */
		erase();
		refresh();
		endwin();
		delscreen(screen->terminal);
	}
	restore(screen);
	if (screen->input)
		fclose(screen->input);
	if (screen->output)
		fclose(screen->output);
	free(screen);
}

int top_screen_descriptor(const struct top_screen *screen)
{
	return fileno(screen->input);
}

/* ---- drawing ---- */

static void draw_line(int row, const char *line, attr_t attributes)
{
	if (row < 0 || row >= LINES)
		return;
	move(row, 0);
	attrset((int)attributes);
	addnstr(line, top_line_fitting(line, COLS));
	if (attributes & A_REVERSE)
		hline(' ' | attributes, COLS);
	attrset(A_NORMAL);
}

static int draw_vms(const struct top_screen *screen, int row, const struct top_table *table,
	const struct top_line_form *form)
{
	char line[TOP_LINE_MAX];
	const size_t count = top_table_running(table);
	size_t shown = 0;

	for (size_t i = 0; i < table->vm_count && shown < VMS_SHOWN; i++) {
		if (table->vms[i].is_ended)
			continue;
		top_line_vm(line, table, &table->vms[i], form);
		draw_line(row++, line, color(screen, WHO, A_NORMAL));
		shown++;
	}
	if (shown < count) {
		snprintf(line, sizeof(line), "and %zu more", count - shown);
		draw_line(row++, line, A_NORMAL);
	}
	if (!count)
		draw_line(row++, "no events yet", A_NORMAL);
	return row;
}

/* The last line of what has been written to standard error. */
static void last_message(const struct top_screen *screen, char line[TOP_LINE_MAX])
{
	size_t end = screen->message_size, begin;

	while (end && screen->messages[end - 1] == '\n')
		end--;
	begin = end;
	while (begin && screen->messages[begin - 1] != '\n')
		begin--;
	clean_text(line, TOP_LINE_MAX, screen->messages + begin, end - begin, screen->is_ascii);
}

static void draw_foot(const struct top_screen *screen, const struct top_view *view)
{
	char line[TOP_LINE_MAX], filter[TOP_FILTER_MAX * 2];

	clean_text(filter, sizeof(filter), view->filter, strlen(view->filter), screen->is_ascii);
	if (view->is_typing) {
		snprintf(line, sizeof(line), "methods that contain: %s_", filter);
		draw_line(LINES - 1, line, A_BOLD);
		return;
	}
	last_message(screen, line);
	if (*line && LINES > 3)
		draw_line(LINES - 2, line, color(screen, SOME, A_BOLD));
	snprintf(line, sizeof(line), "? keys  q quit%s%s%s%s", view->is_paused ? "   paused" : "",
		*filter ? "   only '" : "", filter, *filter ? "'" : "");
	draw_line(LINES - 1, line, A_REVERSE);
}

/* The keys, without those that sort by columns that the table lacks. */
static void draw_keys(const struct top_screen *screen)
{
	static const struct {
		const char *text;
		enum top_order order; /* that it needs */
	} keys[] = {{"Keys", TOP_BY_NAME}, {"", TOP_BY_NAME},
		{"s      sort by own time (SELF)", TOP_BY_NAME},
		{"t      sort by time with callees (TOTAL)", TOP_BY_TOTAL},
		{"c      sort by calls", TOP_BY_CALLS},
		{"b      sort by bytes allocated", TOP_BY_BYTES},
		{"n      sort by name", TOP_BY_NAME},
		{"/      only methods that contain a text", TOP_BY_NAME},
		{"Esc    all methods", TOP_BY_NAME},
		{"p      pause, also with the space bar", TOP_BY_NAME},
		{"arrows, Page, Home   scroll", TOP_BY_NAME},
		{"q      quit; the table stays", TOP_BY_NAME}, {"", TOP_BY_NAME},
		{"Any key goes back to the table.", TOP_BY_NAME}};
	int row = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (screen->sorts[keys[i].order])
			draw_line(row++, keys[i].text, i ? A_NORMAL : A_BOLD);
}

static attr_t color_of(const struct top_screen *screen, const struct top_table *table,
	const struct top_method *method)
{
	uint64_t share = top_table_share(table, method->spent[TOP_SELF]);

	return share >= MUCH_LEAST    ? color(screen, MUCH, A_NORMAL)
		: share >= SOME_LEAST ? color(screen, SOME, A_NORMAL)
				      : A_NORMAL;
}

static void draw_table(
	const struct top_screen *screen, const struct top_table *table, const struct top_view *view)
{
	struct top_line_form form;
	const struct top_method **methods;
	char line[TOP_LINE_MAX];
	size_t count, first;
	int row, end;

	top_line_form_init(&form, table, view->order, COLS, screen->is_ascii);
	methods = top_table_sorted(table, view->order, view->filter, &count);
	count = methods ? top_table_shown(table, view->order, methods, count) : 0;
	row = draw_vms(screen, 0, table, &form);
	top_line_lost(line, table);
	if (*line)
		draw_line(row++, line, color(screen, MUCH, A_NORMAL) | A_BOLD);
	top_line_columns(line, &form);
	draw_line(row++, line, A_REVERSE);
	end = LINES - (screen->message_size ? 2 : 1);
	first = view->first < count ? view->first : count ? count - 1 : 0;
	for (size_t i = first; i < count && row < end; i++) {
		top_line_method(line, table, methods[i], &form);
		draw_line(row++, line, color_of(screen, table, methods[i]));
	}
	free(methods);
	draw_foot(screen, view);
}

void top_screen_draw(
	struct top_screen *screen, const struct top_table *table, const struct top_view *view)
{
	take_messages(screen);
	for (int i = 0; i < TOP_ORDERS; i++)
		screen->sorts[i] = i >= TOP_COLUMNS || table->has[i] || table->expects[i];
	erase();
	if (view->is_helped)
		draw_keys(screen);
	else
		draw_table(screen, table, view);
	refresh();
}

/* ---- keys ---- */

static void type(struct top_view *view, int key)
{
	size_t length = strlen(view->filter);

	if (key == '\n' || key == '\r' || key == KEY_ENTER) {
		view->is_typing = false;
	} else if (key == KEY_ESCAPE) {
		view->is_typing = false;
		view->filter[0] = '\0';
	} else if (key == KEY_BACKSPACE || key == KEY_DELETE || key == KEY_CONTROL_H) {
		while (length && (view->filter[length - 1] & 0xc0) == 0x80)
			length--;
		view->filter[length ? length - 1 : 0] = '\0';
	} else if (key >= ' ' && key <= 0xff && length + 1 < sizeof(view->filter)) {
		view->filter[length] = (char)key;
		view->filter[length + 1] = '\0';
	}
	view->first = 0;
}

static void scroll_rows(struct top_view *view, long rows)
{
	if (rows < 0 && view->first < (size_t)-rows)
		view->first = 0;
	else
		view->first += (size_t)rows;
	if (view->first > TOP_METHODS_MAX)
		view->first = TOP_METHODS_MAX;
}

static enum top_wish take_key(const struct top_screen *screen, struct top_view *view, int key)
{
	static const char orders[] = "stcbn";
	const char *order = key > 0 && key < 128 ? strchr(orders, key) : NULL;

	if (view->is_helped && key != KEY_RESIZE && key != KEY_CONTROL_L) {
		view->is_helped = false;
		return key == 'q' ? TOP_QUIT : TOP_REDRAW;
	}
	if (view->is_typing && key != KEY_RESIZE) {
		type(view, key);
		return TOP_REDRAW;
	}
	if (order && screen->sorts[order - orders]) {
		view->order = (enum top_order)(order - orders);
		return TOP_REDRAW;
	}
	switch (key) {
	case 'q':
		return TOP_QUIT;
	case '?':
		view->is_helped = true;
		return TOP_REDRAW;
	case 'p':
	case ' ':
		view->is_paused = !view->is_paused;
		return TOP_REDRAW;
	case '/':
		view->is_typing = true;
		view->filter[0] = '\0';
		return TOP_REDRAW;
	case KEY_ESCAPE:
		view->filter[0] = '\0';
		return TOP_REDRAW;
	case KEY_DOWN:
	case KEY_UP:
		scroll_rows(view, key == KEY_DOWN ? 1 : -1);
		return TOP_REDRAW;
	case KEY_NPAGE:
	case KEY_PPAGE:
		scroll_rows(view, key == KEY_NPAGE ? LINES / 2 : -LINES / 2);
		return TOP_REDRAW;
	case KEY_HOME:
		view->first = 0;
		return TOP_REDRAW;
	case KEY_CONTROL_L:
	case KEY_RESIZE: /* what a line had beyond the new width may have gone to the next one */
		clearok(stdscr, true);
		return TOP_REDRAW;
	default:
		return TOP_NOTHING;
	}
}

enum top_wish top_screen_keys(struct top_screen *screen, struct top_view *view)
{
	enum top_wish wish = TOP_NOTHING;
	int key;

	while (wish != TOP_QUIT && (key = getch()) != ERR) {
		enum top_wish next = take_key(screen, view, key);
		if (next != TOP_NOTHING)
			wish = next;
	}
	return wish;
}

#else

int top_screen_open(struct top_screen **screen, struct error *error)
{
	(void)error;
	*screen = NULL;
	return -ENOSYS;
}

void top_screen_close(struct top_screen *screen, struct top_screen_size *size)
{
	(void)screen;
	(void)size;
}

int top_screen_descriptor(const struct top_screen *screen)
{
	(void)screen;
	return -1;
}

void top_screen_draw(
	struct top_screen *screen, const struct top_table *table, const struct top_view *view)
{
	(void)screen;
	(void)table;
	(void)view;
}

enum top_wish top_screen_keys(struct top_screen *screen, struct top_view *view)
{
	(void)screen;
	(void)view;
	return TOP_NOTHING;
}

#endif
