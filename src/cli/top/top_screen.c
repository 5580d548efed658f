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
#include "cli/top/top_line.h"

enum {
	VMS_SHOWN = 4,
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
	bool is_ascii;
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
	if (screen->message_size)
		fwrite(screen->messages, 1, screen->message_size, stderr);
}

/* ---- opening and closing ---- */

int top_screen_open(struct top_screen **result, struct error *error)
{
	struct top_screen *screen;
	const char *kind = getenv("TERM");
	int in, out;

	*result = NULL;
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
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
		top_screen_close(screen);
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
	if (!redirect(screen)) {
		top_screen_close(screen);
		return error_set(error, EMFILE, "the screen cannot be opened: %m");
	}
	*result = screen;
	return 0;
}

void top_screen_close(struct top_screen *screen)
{
	if (!screen)
		return;
	if (screen->terminal) {
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

/* How many bytes of a line have room. */
static int fitting(const char *line, int columns)
{
	const char *at = line;
	mbstate_t state = {0};

	while (*at) {
		wchar_t character;
		size_t size = mbrtowc(&character, at, MB_CUR_MAX, &state);
		int width;

		if (size == (size_t)-1 || size == (size_t)-2) {
			memset(&state, 0, sizeof(state));
			size = 1;
			width = 1;
		} else {
			width = wcwidth(character);
		}
		columns -= width < 0 ? 1 : width;
		if (columns < 0)
			break;
		at += size;
	}
	return (int)(at - line);
}

static void draw_line(int row, const char *line, attr_t attributes)
{
	if (row < 0 || row >= LINES)
		return;
	move(row, 0);
	attrset((int)attributes);
	addnstr(line, fitting(line, COLS));
	if (attributes)
		hline(' ' | attributes, COLS);
	attrset(A_NORMAL);
}

static int draw_vms(int row, const struct top_table *table, const struct top_line_form *form)
{
	char line[TOP_LINE_MAX];
	size_t shown = table->vm_count;

	if (shown > VMS_SHOWN)
		shown = VMS_SHOWN;
	for (size_t i = 0; i < shown; i++) {
		top_line_vm(line, table, &table->vms[i], form);
		draw_line(row++, line, A_NORMAL);
	}
	if (shown < table->vm_count) {
		snprintf(line, sizeof(line), "and %zu more", table->vm_count - shown);
		draw_line(row++, line, A_NORMAL);
	}
	if (!table->vm_count)
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
		draw_line(LINES - 2, line, A_BOLD);
	snprintf(line, sizeof(line), "s t c b n sort  / filter  p pause  q quit%s%s%s%s",
		view->is_paused ? "   paused" : "", *filter ? "   only '" : "", filter,
		*filter ? "'" : "");
	draw_line(LINES - 1, line, A_REVERSE);
}

void top_screen_draw(
	struct top_screen *screen, const struct top_table *table, const struct top_view *view)
{
	struct top_line_form form = {.is_ascii = screen->is_ascii, .measure = table->measure};
	const struct top_method **methods;
	char line[TOP_LINE_MAX];
	size_t count, first;
	int row, end;

	take_messages(screen);
	form.has_pid = table->vm_count > 1;
	memcpy(form.has, table->has, sizeof(form.has));
	methods = top_table_sorted(table, view->order, view->filter, &count);
	erase();
	row = draw_vms(0, table, &form);
	top_line_lost(line, table);
	if (*line)
		draw_line(row++, line, A_BOLD);
	top_line_columns(line, view->order, &form);
	draw_line(row++, line, A_REVERSE);
	end = LINES - (screen->message_size ? 2 : 1);
	first = view->first < count ? view->first : count ? count - 1 : 0;
	for (size_t i = first; methods && i < count && row < end; i++) {
		top_line_method(line, table, methods[i], &form);
		draw_line(row++, line, A_NORMAL);
	}
	draw_foot(screen, view);
	refresh();
	free(methods);
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

static enum top_wish take_key(struct top_view *view, int key)
{
	static const char orders[] = "stcbn";
	const char *order = key > 0 && key < 128 ? strchr(orders, key) : NULL;

	if (view->is_typing && key != KEY_RESIZE) {
		type(view, key);
		return TOP_REDRAW;
	}
	if (order) {
		view->order = (enum top_order)(order - orders);
		return TOP_REDRAW;
	}
	switch (key) {
	case 'q':
		return TOP_QUIT;
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
		clearok(stdscr, true);
		return TOP_REDRAW;
	case KEY_RESIZE:
		return TOP_REDRAW;
	default:
		return TOP_NOTHING;
	}
}

enum top_wish top_screen_keys(struct top_screen *screen, struct top_view *view)
{
	enum top_wish wish = TOP_NOTHING;
	int key;

	(void)screen;
	while (wish != TOP_QUIT && (key = getch()) != ERR) {
		enum top_wish next = take_key(view, key);
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

void top_screen_close(struct top_screen *screen)
{
	(void)screen;
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
