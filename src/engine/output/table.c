/* table.c: see table.h. */
#include "engine/output/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/arena.h"
#include "engine/output/display.h"

enum {
	WIDTH_MAX = 60, /* of a column of texts when the output is no terminal: longer texts stick
			   out */
	WIDTH_MIN = 12, /* to which such a column is cut on a terminal, while that is enough */
	WIDTH_LEAST = 6 /* to which it is cut on a terminal that is narrower still */
};

#define CUT "..."

struct table_cell {
	char *text;
	unsigned columns; /* it takes */
	unsigned least;   /* width of its column */
	bool is_left;
};

static bool is_blank(const struct text *text)
{
	for (uint32_t i = 0; i < text->length; i++)
		if (text->bytes[i] != ' ')
			return false;
	return true;
}

/* Whether a text ends a line, and nothing else: "\n", "%\n" */
static bool ends_line(const struct text *text)
{
	return text->length && text->bytes[text->length - 1] == '\n' &&
		memchr(text->bytes, '\n', text->length) == text->bytes + text->length - 1;
}

unsigned table_columns(const struct d_format *format)
{
	unsigned columns = 0;

	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];

		if (!conversion->present)
			return i + 1 == format->count && ends_line(&conversion->before) &&
					columns >= 2 && columns <= TABLE_COLUMNS_MAX
				? columns
				: 0;
		if (!is_blank(&conversion->before) || (i && !conversion->before.length) ||
			conversion->kind == D_CONVERT_STACK || conversion->width_argument ||
			conversion->precision_argument)
			return 0;
		columns++;
	}
	return 0;
}

void table_begin(struct table *table, unsigned columns, FILE *output)
{
	if (table->columns != columns)
		table_flush(table, output);
	table->columns = columns;
	table->gap = 0;
}

/* Appends to the last cell of the line. */
static void append(struct table *table, const char *bytes, size_t length)
{
	struct table_cell *cell = &table->cells[table->cell_count - 1];
	size_t used = cell->text ? strlen(cell->text) : 0;
	char *grown = cell->text ? realloc(cell->text, used + length + 1) : NULL;

	if (!grown) {
		table->is_short = true;
		return;
	}
	memcpy(grown + used, bytes, length);
	grown[used + length] = '\0';
	cell->text = grown;
	cell->columns = display_columns(grown);
}

void table_put_text(struct table *table, const struct text *text)
{
	if (!ends_line(text)) {
		table->gap = text->length;
		return;
	}
	if (text->length > 1 && table->cell_count)
		append(table, text->bytes, text->length - 1);
	table->gap = 0;
}

void table_put_cell(struct table *table, char *text, bool is_left, int width)
{
	size_t column = table->cell_count % table->columns;

	if (array_room(&table->cells, &table->cell_capacity, table->cell_count,
		    sizeof(*table->cells))) {
		table->is_short = true;
		free(text);
		return;
	}
	table->is_short |= !text;
	if (width < 0) {
		is_left = true;
		width = -width;
	}
	if (table->cell_count < table->columns || table->gap > table->gaps[column])
		table->gaps[column] = table->gap;
	table->cells[table->cell_count++] = (struct table_cell){.text = text,
		.columns = text ? display_columns(text) : 0,
		.least = is_left ? 0 : (unsigned)width,
		.is_left = is_left};
}

/* The columns of the terminal that the output goes to; 0: it goes to something else. */
static unsigned terminal_columns(FILE *output)
{
	struct winsize size;

	return !ioctl(fileno(output), TIOCGWINSZ, &size) ? size.ws_col : 0;
}

struct column_width {
	unsigned width;
	unsigned longest; /* of its values */
	bool is_text;     /* one of its cells is at the left */
};

static void measure(const struct table *table, struct column_width *widths)
{
	for (size_t i = 0; i < table->cell_count; i++) {
		const struct table_cell *cell = &table->cells[i];
		struct column_width *column = &widths[i % table->columns];

		column->is_text |= cell->is_left;
		if (column->longest < cell->columns)
			column->longest = cell->columns;
		if (column->width < cell->least)
			column->width = cell->least;
		if (column->width < cell->columns)
			column->width = cell->columns;
	}
}

/*
 * Makes columns narrower, the one with the most to spare first, until the table, which has this
 * many columns too many, fits. Texts are cut down to the least width; the others lose only blanks.
 * Returns how many columns are still too many.
 */
static unsigned narrow(const struct table *table, struct column_width *widths, bool texts,
	unsigned least, unsigned excess)
{
	while (excess) {
		struct column_width *widest = NULL;
		unsigned most = 0;

		for (unsigned i = 0; i < table->columns; i++) {
			unsigned floor = widths[i].is_text ? least : widths[i].longest;
			unsigned spare = widths[i].width > floor ? widths[i].width - floor : 0;

			if (widths[i].is_text != texts || spare <= most)
				continue;
			widest = &widths[i];
			most = spare;
		}
		if (!widest)
			break;
		widest->width--;
		excess--;
	}
	return excess;
}

/* Bounds the columns of texts; on a terminal columns become narrower until all fit. */
static void bound(const struct table *table, unsigned terminal, struct column_width *widths)
{
	unsigned total = 0, excess;

	for (unsigned i = 0; i < table->columns; i++) {
		if (!terminal && widths[i].is_text && widths[i].width > WIDTH_MAX)
			widths[i].width = WIDTH_MAX;
		total += widths[i].width + table->gaps[i];
	}
	excess = terminal && total > terminal ? total - terminal : 0;
	excess = narrow(table, widths, false, 0, excess);
	excess = narrow(table, widths, true, WIDTH_MIN, excess);
	narrow(table, widths, true, WIDTH_LEAST, excess);
}

/* Whether a text is a path, of a file or, as in Java, of a class. */
static bool is_path(const char *text)
{
	const char *slash = strchr(text, '/');

	return slash && slash[1];
}

static void print_blanks(unsigned count, FILE *output)
{
	while (count--)
		putc_unlocked(' ', output);
}

/* Prints what fits of a text that is too long. Returns the columns that it takes. */
static unsigned print_cut(const char *text, unsigned width, FILE *output)
{
	unsigned room = width - (unsigned)strlen(CUT);
	size_t place;

	if (is_path(text)) {
		place = display_fit_end(text, room);
		fputs(CUT, output);
		fputs(text + place, output);
		return width - room + display_columns(text + place);
	}
	place = display_fit(text, room);
	fwrite(text, 1, place, output);
	fputs(CUT, output);
	return width - room + display_columns(text) - display_columns(text + place);
}

static void print_cell(
	const struct table_cell *cell, unsigned width, bool is_cut, bool is_last, FILE *output)
{
	const char *text = cell->text ? cell->text : "";
	unsigned columns = cell->columns;

	if (!cell->is_left && columns < width)
		print_blanks(width - columns, output);
	if (is_cut && cell->is_left && columns > width) {
		columns = print_cut(text, width, output);
	} else {
		fputs(text, output);
	}
	if (cell->is_left && columns < width && !is_last)
		print_blanks(width - columns, output);
}

bool table_flush(struct table *table, FILE *output)
{
	struct column_width widths[TABLE_COLUMNS_MAX] = {{0}};
	bool is_whole = !table->is_short;
	unsigned terminal;

	if (!table->columns)
		return true;
	terminal = terminal_columns(output);
	measure(table, widths);
	bound(table, terminal, widths);
	for (size_t i = 0; i < table->cell_count; i++) {
		unsigned column = (unsigned)(i % table->columns);
		bool is_last = column + 1 == table->columns;

		print_blanks(table->gaps[column], output);
		print_cell(&table->cells[i], widths[column].width, terminal > 0, is_last, output);
		if (is_last)
			putc_unlocked('\n', output);
		free(table->cells[i].text);
	}
	free(table->cells);
	*table = (struct table){.cells = NULL};
	return is_whole;
}
