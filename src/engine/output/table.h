/*
 * table.h: option table: the lines that printf() and printa() print one after the other with
 * formats of the same columns ("%-32s %14s\n" and "%-32s %@14d\n") are one table. Its columns are
 * as wide as their longest values. On a terminal the table fits the terminal: columns of numbers
 * lose the blanks that the format asks for, then texts that are too long are cut; paths are cut at
 * their beginning, since files are told apart by their ends.
 *
 * The lines are kept until something else is printed. A width in the format is the least width of
 * a column whose values are at the right; a column of texts at the left has none.
 */
#ifndef VMTAP_ENGINE_OUTPUT_TABLE_H
#define VMTAP_ENGINE_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "program/program.h"

enum { TABLE_COLUMNS_MAX = 32 };

struct table_cell;

struct table {
	struct table_cell *cells; /* line by line */
	size_t cell_count, cell_capacity;
	unsigned columns; /* of the lines; 0: no lines */
	unsigned gap;     /* blanks before the next cell */
	unsigned gaps[TABLE_COLUMNS_MAX];
	bool is_short; /* out of memory: cells are missing */
};

/* The number of columns of a line of this format; 0: it is not a line of a table. */
unsigned table_columns(const struct d_format *format);

/* Begins the next lines; if they have other columns, prints the table so far. */
void table_begin(struct table *table, unsigned columns, FILE *output);

/* Literal text of the format: the gap between two cells, or what ends the line. */
void table_put_text(struct table *table, const struct text *text);

/* The next value; text is freed by the table and may be NULL: out of memory. */
void table_put_cell(struct table *table, char *text, bool is_left, int width);

/* Prints the table, if there is one, and forgets it. False: memory was short, cells are missing. */
bool table_flush(struct table *table, FILE *output);

#endif
