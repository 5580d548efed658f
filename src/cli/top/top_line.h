/*
 * top_line.h: the lines of `vmtap top`, for the screen and for plain output. Names are the traced
 * program's data and are cleaned (clean_text.h).
 */
#ifndef VMTAP_CLI_TOP_LINE_H
#define VMTAP_CLI_TOP_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/top/top_table.h"

enum { TOP_LINE_MAX = 1024 /* bytes with the NUL, enough for any name that is cleaned */ };

struct top_line_form {
	bool has_pid;          /* methods of several processes are shown */
	bool is_ascii;         /* the terminal cannot show more */
	int columns;           /* of the terminal; 0: a line may have any length */
	enum top_order order;  /* its column is marked */
	const char *measure;   /* as in the table */
	bool has[TOP_COLUMNS]; /* the columns that are shown */
};

/*
 * Decides which columns are shown: those that the table has, and of them, where the terminal is
 * narrow, those that leave room for the methods' names.
 */
void top_line_form_init(struct top_line_form *form, const struct top_table *table,
	enum top_order order, int columns, bool is_ascii);

/* How many bytes of a line have room in a number of columns. The locale decides how wide they are.
 */
int top_line_fitting(const char *line, int columns);

/* What is known of a VM. */
void top_line_vm(char line[TOP_LINE_MAX], const struct top_table *table, const struct top_vm *vm,
	const struct top_line_form *form);

/* How many events were lost in the interval, and what can be done. Empty if none were lost. */
void top_line_lost(char line[TOP_LINE_MAX], const struct top_table *table);

/* The names of the columns. */
void top_line_columns(char line[TOP_LINE_MAX], const struct top_line_form *form);

/* A name that has no room loses its front. */
void top_line_method(char line[TOP_LINE_MAX], const struct top_table *table,
	const struct top_method *method, const struct top_line_form *form);

#endif
