/* top_line.c: see top_line.h. */
#include "cli/top/top_line.h"

#include "base/clean_text.h"
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_MAX = 32, WHOLE_MAX = 9999999 };

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

void top_line_vm(char line[TOP_LINE_MAX], const struct top_table *table, const struct top_vm *vm,
	const struct top_line_form *form)
{
	char name[sizeof(vm->program)], parts[TOP_FIGURES][NUMBER_MAX];

	clean_text(name, sizeof(name), vm->program, strlen(vm->program), form->is_ascii);
	for (int i = 0; i < TOP_FIGURES; i++) {
		if (!vm->is_known[i])
			strcpy(parts[i], "-");
		else if (i == TOP_THREADS)
			print_number(parts[i], vm->last[i]);
		else if (i == TOP_COLLECTING || i == TOP_PAUSED)
			print_share(parts[i], top_table_share(table, vm->spent[i]));
		else
			print_number(parts[i], top_table_rate(table, vm->spent[i]));
	}
	if (table->lacks_figures) {
		snprintf(line, TOP_LINE_MAX, "%" PRIu64 "%s%s: threads %s", vm->pid,
			*name ? " " : "", name, parts[TOP_THREADS]);
		return;
	}
	snprintf(line, TOP_LINE_MAX,
		"%" PRIu64 "%s%s: GC %s %%, pauses %s/s %s %%, threads %s, allocated %s bytes/s",
		vm->pid, *name ? " " : "", name, parts[TOP_COLLECTING], parts[TOP_PAUSES],
		parts[TOP_PAUSED], parts[TOP_THREADS], parts[TOP_ALLOCATED]);
}

void top_line_lost(char line[TOP_LINE_MAX], const struct top_table *table)
{
	line[0] = '\0';
	if (table->lost)
		snprintf(line, TOP_LINE_MAX,
			"%" PRIu64 " events lost in this interval, the figures are wrong%s%s",
			table->lost, table->remedy ? ": " : "", table->remedy ? table->remedy : "");
}

void top_line_columns(
	char line[TOP_LINE_MAX], enum top_order order, const struct top_line_form *form)
{
	static const char *const names[] = {[TOP_BY_SELF] = "SELF %",
		[TOP_BY_TOTAL] = "TOTAL %",
		[TOP_BY_CALLS] = "CALLS/s",
		[TOP_BY_BYTES] = "BYTES/s"};
	char marked[TOP_ORDERS][NUMBER_MAX];

	for (int i = 0; i < TOP_BY_NAME; i++)
		snprintf(marked[i], NUMBER_MAX, "%s%s", (int)order == i ? ">" : "", names[i]);
	snprintf(line, TOP_LINE_MAX, "%*s%s%8s %8s %10s %10s  %sMETHOD%s%s", form->has_pid ? 8 : 0,
		form->has_pid ? "PID" : "", form->has_pid ? " " : "", marked[TOP_BY_SELF],
		marked[TOP_BY_TOTAL], marked[TOP_BY_CALLS], marked[TOP_BY_BYTES],
		order == TOP_BY_NAME ? ">" : "", form->measure ? ", by " : "",
		form->measure ? form->measure : "");
}

void top_line_method(char line[TOP_LINE_MAX], const struct top_table *table,
	const struct top_method *method, const struct top_line_form *form)
{
	char name[3 * TOP_NAME_MAX + 1], pid[NUMBER_MAX] = "", parts[TOP_COLUMNS][NUMBER_MAX];

	clean_text(name, sizeof(name), method->name, strlen(method->name), form->is_ascii);
	if (form->has_pid)
		snprintf(pid, sizeof(pid), "%8" PRIu64 " ", method->pid);
	for (int i = 0; i < TOP_COLUMNS; i++) {
		if (!form->has[i])
			strcpy(parts[i], "-");
		else if (i == TOP_SELF || i == TOP_TOTAL)
			print_share(parts[i], top_table_share(table, method->spent[i]));
		else
			print_number(parts[i], top_table_rate(table, method->spent[i]));
	}
	snprintf(line, TOP_LINE_MAX, "%s%8s %8s %10s %10s  %s", pid, parts[TOP_SELF],
		parts[TOP_TOTAL], parts[TOP_CALLS], parts[TOP_BYTES], name);
}
