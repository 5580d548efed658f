/* top_line.c: see top_line.h. */
#include "cli/top/top_line.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/clean_text.h"

enum { NUMBER_MAX = 32, WHOLE_MAX = 9999999, NAME_LEAST = 20, PID_WIDTH = 9, GAP = 1 };

static const struct column {
	const char *name;
	int width;
} columns[TOP_COLUMNS] = {[TOP_SELF] = {"SELF %", 8},
	[TOP_TOTAL] = {"TOTAL %", 8},
	[TOP_CALLS] = {"CALLS/s", 10},
	[TOP_BYTES] = {"BYTES/s", 10}};

/* ---- what has room ---- */

/* The width of the first character of a line, and its bytes. */
static int width_of(const char *at, size_t *size, mbstate_t *state)
{
	wchar_t character;
	int width;

	*size = mbrtowc(&character, at, MB_CUR_MAX, state);
	if (*size == (size_t)-1 || *size == (size_t)-2) {
		memset(state, 0, sizeof(*state));
		*size = 1;
		return 1;
	}
	width = wcwidth(character);
	return width < 0 ? 1 : width;
}

int top_line_fitting(const char *line, int room)
{
	const char *at = line;
	mbstate_t state = {0};

	while (*at) {
		size_t size;

		room -= width_of(at, &size, &state);
		if (room < 0)
			break;
		at += size;
	}
	return (int)(at - line);
}

static int width_of_line(const char *line)
{
	mbstate_t state = {0};
	size_t size;
	int width = 0;

	for (; *line; line += size)
		width += width_of(line, &size, &state);
	return width;
}

/* The columns that a method's name has left. */
static int room_for_name(const struct top_line_form *form)
{
	int room = form->columns - GAP - (form->has_pid ? PID_WIDTH : 0);

	for (int i = 0; i < TOP_COLUMNS; i++)
		if (form->has[i])
			room -= columns[i].width + GAP;
	return room;
}

void top_line_form_init(struct top_line_form *form, const struct top_table *table,
	enum top_order order, int terminal_columns, bool is_ascii)
{
	static const enum top_column dispensable[] = {TOP_BYTES, TOP_CALLS, TOP_TOTAL, TOP_SELF};

	*form = (struct top_line_form){.has_pid = top_table_running(table) > 1,
		.is_ascii = is_ascii,
		.columns = terminal_columns,
		.order = order,
		.measure = table->measure};
	for (int i = 0; i < TOP_COLUMNS; i++)
		form->has[i] = table->has[i] || table->expects[i];
	for (size_t i = 0; i < TOP_COLUMNS && terminal_columns; i++)
		if (room_for_name(form) < NAME_LEAST && (int)order != (int)dispensable[i])
			form->has[dispensable[i]] = false;
	if (terminal_columns && room_for_name(form) < NAME_LEAST)
		form->has_pid = false;
}

/* ---- the lines ---- */

static void print_number(char text[NUMBER_MAX], uint64_t number)
{
	static const char units[] = "MGTPE";
	double value = (double)number / 1e6;
	size_t unit = 0;

	if (number <= WHOLE_MAX) {
		snprintf(text, NUMBER_MAX, "%" PRIu64, number);
		return;
	}
	while (value >= 1000 && units[unit + 1]) {
		value /= 1000;
		unit++;
	}
	snprintf(text, NUMBER_MAX, "%.1f%c", value, units[unit]);
}

static void print_share(char text[NUMBER_MAX], uint64_t hundredths)
{
	snprintf(text, NUMBER_MAX, "%" PRIu64 ".%" PRIu64, hundredths / 100, hundredths / 10 % 10);
}

/* Adds a part to a line if it has room: what follows is as important or less. */
static void add_part(char line[TOP_LINE_MAX], const struct top_line_form *form, const char *part)
{
	size_t length = strlen(line);

	if (!form->columns || width_of_line(line) + width_of_line(part) <= form->columns)
		snprintf(line + length, TOP_LINE_MAX - length, "%s", part);
}

void top_line_vm(char line[TOP_LINE_MAX], const struct top_table *table, const struct top_vm *vm,
	const struct top_line_form *form)
{
	char name[sizeof(vm->program)], part[2 * NUMBER_MAX + 32], one[NUMBER_MAX], two[NUMBER_MAX];
	const char *separator = ": ";

	clean_text(name, sizeof(name), vm->program, strlen(vm->program), form->is_ascii);
	snprintf(line, TOP_LINE_MAX, "%" PRIu64 "%s%s", vm->pid, *name ? " " : "", name);
	if (table->tells_cpu) {
		print_share(one, top_table_share(table, vm->time));
		snprintf(part, sizeof(part), "%sCPU %s %%", separator, one);
		add_part(line, form, part);
		separator = ", ";
	}
	if (vm->is_known[TOP_COLLECTING]) {
		print_share(one, top_table_share(table, vm->spent[TOP_COLLECTING]));
		snprintf(part, sizeof(part), "%sGC %s %%", separator, one);
		add_part(line, form, part);
		separator = ", ";
	}
	if (vm->is_known[TOP_PAUSES] || vm->is_known[TOP_PAUSED]) {
		print_number(one, top_table_rate(table, vm->spent[TOP_PAUSES]));
		print_share(two, top_table_share(table, vm->spent[TOP_PAUSED]));
		snprintf(part, sizeof(part), "%spauses %s/s %s %%", separator, one, two);
		add_part(line, form, part);
		separator = ", ";
	}
	if (vm->is_known[TOP_THREADS]) {
		print_number(one, vm->last[TOP_THREADS]);
		snprintf(part, sizeof(part), "%sthreads %s", separator, one);
		add_part(line, form, part);
		separator = ", ";
	}
	if (vm->is_known[TOP_ALLOCATED]) {
		print_number(one, top_table_rate(table, vm->spent[TOP_ALLOCATED]));
		snprintf(part, sizeof(part), "%sallocated %s bytes/s", separator, one);
		add_part(line, form, part);
	}
}

void top_line_lost(char line[TOP_LINE_MAX], const struct top_table *table)
{
	line[0] = '\0';
	if (table->lost)
		snprintf(line, TOP_LINE_MAX,
			"%" PRIu64 " events lost in this interval, the figures are wrong%s%s",
			table->lost, table->remedy ? ": " : "", table->remedy ? table->remedy : "");
}

void top_line_columns(char line[TOP_LINE_MAX], const struct top_line_form *form)
{
	char marked[NUMBER_MAX], measure[96];
	size_t length = 0;

	line[0] = '\0';
	if (form->has_pid)
		length = (size_t)snprintf(line, TOP_LINE_MAX, "%*s", PID_WIDTH, "PID ");
	for (int i = 0; i < TOP_COLUMNS; i++) {
		if (!form->has[i])
			continue;
		snprintf(marked, sizeof(marked), "%s%s", (int)form->order == i ? ">" : "",
			columns[i].name);
		length += (size_t)snprintf(
			line + length, TOP_LINE_MAX - length, "%*s ", columns[i].width, marked);
	}
	length += (size_t)snprintf(line + length, TOP_LINE_MAX - length, " %sMETHOD",
		form->order == TOP_BY_NAME ? ">" : "");
	if (form->measure) {
		snprintf(measure, sizeof(measure), ", by %s", form->measure);
		add_part(line, form, measure);
	}
}

/* Prints a name to a line, without so much of its front as has no room. */
static void print_name(char *line, size_t size, const char *name, const struct top_line_form *form)
{
	const char *mark = form->is_ascii ? ".." : "\u2026";
	int room = room_for_name(form), width = width_of_line(name);
	mbstate_t state = {0};
	size_t bytes;

	if (!form->columns || width <= room) {
		snprintf(line, size, "%s", name);
		return;
	}
	room -= form->is_ascii ? 2 : 1;
	for (; *name && width > room; name += bytes)
		width -= width_of(name, &bytes, &state);
	snprintf(line, size, "%s%s", mark, name);
}

void top_line_method(char line[TOP_LINE_MAX], const struct top_table *table,
	const struct top_method *method, const struct top_line_form *form)
{
	char name[3 * TOP_NAME_MAX + 1], part[NUMBER_MAX];
	size_t length = 0;

	clean_text(name, sizeof(name), method->name, strlen(method->name), form->is_ascii);
	if (form->has_pid && method->pid)
		length = (size_t)snprintf(line, TOP_LINE_MAX, "%8" PRIu64 " ", method->pid);
	else if (form->has_pid)
		length = (size_t)snprintf(line, TOP_LINE_MAX, "%8s ", "");
	for (int i = 0; i < TOP_COLUMNS; i++) {
		if (!form->has[i])
			continue;
		if (i == TOP_SELF || i == TOP_TOTAL)
			print_share(part, top_table_share(table, method->spent[i]));
		else
			print_number(part, top_table_rate(table, method->spent[i]));
		length += (size_t)snprintf(
			line + length, TOP_LINE_MAX - length, "%*s ", columns[i].width, part);
	}
	line[length++] = ' ';
	print_name(line + length, TOP_LINE_MAX - length, name, form);
}
