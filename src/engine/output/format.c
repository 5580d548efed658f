/* format.c: see format.h. Numbers go through C's printf, whose flags D shares. */
#include "engine/output/format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clean_text.h"
#include "engine/output/display.h"
#include "engine/output/place_text.h"
#include "engine/store/value.h"

enum { SPECIFICATION_MAX = 24, ESCAPE_MAX = 5, DUMP_COLUMNS = 16, TIME_MAX = 64, WIDE_BYTES = 4 };

static void print_text_bytes(const struct text *text, FILE *output)
{
	if (text->length)
		fwrite(text->bytes, 1, text->length, output);
}

void format_text(const struct format_context *context, const struct text *text)
{
	if (context->table)
		table_put_text(context->table, text);
	else
		print_text_bytes(text, context->output);
}

static int clamp(int64_t number, int lowest)
{
	if (number < lowest)
		return lowest;
	return number > FORMAT_WIDTH_MAX ? FORMAT_WIDTH_MAX : (int)number;
}

/* "%" and the flags; the caller appends "*.*" and the letter. */
static char *start_specification(const struct d_conversion *conversion, char *at)
{
	*at++ = '%';
	if (conversion->minus)
		*at++ = '-';
	if (conversion->plus)
		*at++ = '+';
	if (conversion->space)
		*at++ = ' ';
	if (conversion->zero && !conversion->minus)
		*at++ = '0';
	if (conversion->alternate)
		*at++ = '#';
	if (conversion->group)
		*at++ = '\'';
	return at;
}

/* Escapes a character as C and D write it: in octal if there is no short form; NUL is "\0". */
static unsigned escape(unsigned char c, char *escaped)
{
	static const char letters[] = "abtnvfr"; /* from 7 on */

	if (c >= 7 && c <= 13) {
		escaped[0] = '\\';
		escaped[1] = letters[c - 7];
		return 2;
	}
	if (!c || c == '\\' || c == '"') {
		escaped[0] = '\\';
		escaped[1] = c ? (char)c : '0';
		return 2;
	}
	if (c < 0x20 || c >= 0x7f)
		return (unsigned)snprintf(escaped, ESCAPE_MAX, "\\%03o", c);
	escaped[0] = (char)c;
	return 1;
}

static void print_padding(int64_t count, FILE *output)
{
	while (count-- > 0)
		putc_unlocked(' ', output);
}

/* %S and %C: width and precision count what is printed, escapes spelled out. */
static void print_escaped(
	const char *bytes, uint32_t length, int width, int precision, bool left, FILE *output)
{
	char escaped[ESCAPE_MAX];
	int64_t columns = 0;
	unsigned size;

	if (width < 0) {
		left = true;
		width = -width;
	}
	for (uint32_t i = 0; i < length; i++)
		columns += escape((unsigned char)bytes[i], escaped);
	if (precision >= 0 && columns > precision)
		columns = precision;
	if (!left)
		print_padding(width - columns, output);
	for (int64_t printed = 0; printed < columns; printed += size) {
		size = escape((unsigned char)*bytes++, escaped);
		if (size > columns - printed)
			size = (unsigned)(columns - printed);
		fwrite(escaped, 1, size, output);
	}
	if (left)
		print_padding(width - columns, output);
}

static void print_character(const struct d_conversion *conversion, int width, int precision,
	uint64_t value, bool cleans, FILE *output)
{
	char specification[SPECIFICATION_MAX];

	if (conversion->letter == 'C') {
		char c = (char)value;
		print_escaped(&c, 1, width, precision, conversion->minus, output);
		return;
	}
	if (cleans && clean_text_is_harmful((char[]){(char)value}, 1) && (char)value != '\n' &&
		(char)value != '\t') {
		char *text = display_clean((char[]){(char)value}, 1);
		fputs(text ? text : "", output);
		free(text);
		return;
	}
	strcpy(start_specification(conversion, specification), "*c");
	fprintf(output, specification, width, (int)(unsigned char)value);
}

/* %s with option table, or on a terminal: control characters spelled out, width in columns of a
 * terminal. */
static void print_clean(char *clean(const char *, size_t), const char *bytes, uint32_t length,
	int width, int precision, bool left, FILE *output)
{
	char *text = clean(bytes,
		precision >= 0 && (uint32_t)precision < length ? (uint32_t)precision : length);
	int64_t padding;

	if (!text)
		return;
	left |= width < 0;
	padding = (width < 0 ? -(int64_t)width : width) - (int64_t)display_columns(text);
	if (!left)
		print_padding(padding, output);
	fputs(text, output);
	if (left)
		print_padding(padding, output);
	free(text);
}

/* %'s of system(): one word of the shell, whatever is in it. */
static void print_quoted(const char *bytes, uint32_t length, FILE *output)
{
	putc_unlocked('\'', output);
	for (uint32_t i = 0; i < length; i++)
		if (bytes[i] == '\'')
			fputs("'\\''", output);
		else
			putc_unlocked(bytes[i], output);
	putc_unlocked('\'', output);
}

void format_padded(const struct format_context *context, const char *text, int width)
{
	bool left = width < 0;

	if (context->cleans)
		print_clean(display_lines, text, (uint32_t)strlen(text), width, -1, left,
			context->output);
	else
		fprintf(context->output, "%*s", width, text);
}

/*
 * A string, or an array of characters (a key may be one), which ends at its size or at a zero
 * before that.
 */
static void print_string(const struct format_context *context,
	const struct d_conversion *conversion, int width, int precision, const struct text *text)
{
	FILE *output = context->output;
	char specification[SPECIFICATION_MAX];
	bool bytes = conversion->type.kind == D_VALUE_BYTES;
	uint32_t length = bytes ? (uint32_t)strnlen(text->bytes, text->length) : text->length;

	if (context->quotes && conversion->group) {
		print_quoted(text->bytes, length, output);
	} else if (conversion->letter == 'S') {
		print_escaped(text->bytes, length, width, precision, conversion->minus, output);
	} else if (context->options->table) {
		print_clean(display_clean, text->bytes, length, width, precision, conversion->minus,
			output);
	} else if (context->cleans) {
		print_clean(display_lines, text->bytes, length, width, precision, conversion->minus,
			output);
	} else if (width == 0 && precision < 0) {
		if (length)
			fwrite(text->bytes, 1, length, output);
	} else {
		if (bytes && (precision < 0 || (uint32_t)precision > length))
			precision = (int)length;
		strcpy(start_specification(conversion, specification), "*.*s");
		fprintf(output, specification, width, precision, text->bytes);
	}
}

/* %Y: "2004 Jan 25 13:00:00"; %T: "Sun, 25 Jan 2004 13:00:00 UTC". */
static void print_time(const struct d_conversion *conversion, int width, int precision,
	uint64_t value, FILE *output)
{
	static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char *const months[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t seconds = (time_t)((int64_t)value / 1000000000);
	char specification[SPECIFICATION_MAX], text[TIME_MAX], clock[TIME_MAX];
	struct tm broken;

	if (!localtime_r(&seconds, &broken))
		return; /* the year does not fit, which is not possible with 64 bits of ns */
	snprintf(clock, sizeof(clock), "%02d:%02d:%02d", broken.tm_hour, broken.tm_min,
		broken.tm_sec);
	if (conversion->letter == 'Y')
		snprintf(text, sizeof(text), "%d %s %2d %.8s", broken.tm_year + 1900,
			months[broken.tm_mon], broken.tm_mday, clock);
	else
		snprintf(text, sizeof(text), "%s, %02d %s %d %.8s %.16s", days[broken.tm_wday],
			broken.tm_mday, months[broken.tm_mon], broken.tm_year + 1900, clock,
			broken.tm_zone);
	strcpy(start_specification(conversion, specification), "*.*s");
	fprintf(output, specification, width, precision, text);
}

/* The bytes of a float, double or long double. */
static void print_float(const struct d_conversion *conversion, int width, int precision,
	const struct text *bytes, FILE *output)
{
	char specification[SPECIFICATION_MAX];
	char *at = start_specification(conversion, specification);
	long double wide;
	double number;
	float narrow;

	if (bytes->length == sizeof(narrow)) {
		memcpy(&narrow, bytes->bytes, sizeof(narrow));
		wide = narrow;
	} else if (bytes->length == sizeof(number)) {
		memcpy(&number, bytes->bytes, sizeof(number));
		wide = number;
	} else {
		memcpy(&wide, bytes->bytes, sizeof(wide));
	}
	strcpy(at, "*.*L");
	at += strlen(at);
	*at++ = conversion->letter;
	*at = '\0';
	fprintf(output, specification, width, precision, wide);
}

/* Encodes a character as UTF-8, an invalid one as U+FFFD. Returns the number of bytes. */
static unsigned encode(uint32_t character, char *bytes)
{
	if (character > 0x10ffff || (character >= 0xd800 && character <= 0xdfff))
		character = 0xfffd;
	if (character < 0x80) {
		bytes[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		bytes[0] = (char)(0xc0 | character >> 6);
		bytes[1] = (char)(0x80 | (character & 0x3f));
		return 2;
	}
	if (character < 0x10000) {
		bytes[0] = (char)(0xe0 | character >> 12);
		bytes[1] = (char)(0x80 | (character >> 6 & 0x3f));
		bytes[2] = (char)(0x80 | (character & 0x3f));
		return 3;
	}
	bytes[0] = (char)(0xf0 | character >> 18);
	bytes[1] = (char)(0x80 | (character >> 12 & 0x3f));
	bytes[2] = (char)(0x80 | (character >> 6 & 0x3f));
	bytes[3] = (char)(0x80 | (character & 0x3f));
	return 4;
}

/* Wide characters; as in C, precision is the maximum number of bytes; width counts characters. */
static void print_wide(const struct d_conversion *conversion, int width, int precision,
	uint64_t value, bool cleans, FILE *output)
{
	const struct text *text = d_value_is_text(conversion->type.kind) ? value_text(value) : NULL;
	uint32_t single = (uint32_t)value, count = text ? text->length / sizeof(single) : 1,
		 shown = 0;
	bool left = conversion->minus || width < 0;
	char bytes[WIDE_BYTES];
	int64_t length = 0;
	unsigned size;

	if (width < 0)
		width = -width;
	for (; shown < count; shown++) {
		if (text)
			memcpy(&single, text->bytes + shown * sizeof(single), sizeof(single));
		length += encode(single, bytes);
		if (text && (!single || (precision >= 0 && length > precision)))
			break;
	}
	if (!left)
		print_padding(width - (int64_t)shown, output);
	for (uint32_t i = 0; i < shown; i++) {
		if (text)
			memcpy(&single, text->bytes + i * sizeof(single), sizeof(single));
		size = encode(single, bytes);
		if (cleans && clean_text_is_harmful(bytes, size) && single != '\n' &&
			single != '\t')
			putc_unlocked('?', output);
		else
			fwrite(bytes, 1, size, output);
	}
	if (left)
		print_padding(width - (int64_t)shown, output);
}

/* A newline, then a line for each frame; conversion NULL: no width or precision. */
static void print_frames(const struct format_context *context, enum d_value_kind kind,
	const struct text *stack, int indent, const struct d_conversion *conversion, int width,
	int precision)
{
	uint64_t at = 0;
	const char *text;
	char specification[SPECIFICATION_MAX], buffer[PLACE_TEXT_MAX];
	FILE *output = context->output;

	putc_unlocked('\n', output);
	if (conversion)
		strcpy(start_specification(conversion, specification), "*.*s");
	while ((text = place_frame_text(context->places, kind, stack, &at, buffer))) {
		print_padding(indent, output);
		if (conversion)
			fprintf(output, specification, width, precision, text);
		else
			fputs(text, output);
		putc_unlocked('\n', output);
	}
}

/* %k: with the flag '-', the width is the indentation of the frames. */
static void print_stack(const struct format_context *context, const struct d_conversion *conversion,
	int width, int precision, uint64_t value)
{
	int indent = width < 0 ? -width : conversion->minus ? width : 0;

	if (!value)
		return; /* a variable that is not set */
	print_frames(context, conversion->type.kind, value_text(value), indent, conversion, width,
		precision);
}

static void print_place(const struct format_context *context, const struct d_conversion *conversion,
	int width, int precision, uint64_t value)
{
	char specification[SPECIFICATION_MAX], buffer[PLACE_TEXT_MAX];
	const struct d_value_type *type = &conversion->type;
	const char *text = d_value_is_text(type->kind)
		? place_text(context->places, type->kind, value_text(value), 0, buffer)
		: place_text_of_integer(context->places, conversion->letter == 'A',
			  value_cut(value, type->size, false), buffer);

	strcpy(start_specification(conversion, specification), "*.*s");
	fprintf(context->output, specification, width, precision, text);
}

static void print_integer(const struct d_conversion *conversion, int width, int precision,
	uint64_t value, FILE *output)
{
	const struct d_value_type *type = &conversion->type;
	char specification[SPECIFICATION_MAX];
	char letter = conversion->letter;
	char *at = start_specification(conversion, specification);

	strcpy(at, "*.*ll");
	at += strlen(at);
	if (conversion->kind == D_CONVERT_SIGNED) {
		*at++ = 'd';
		value = value_cut(value, type->size, type->is_signed);
	} else {
		*at++ = letter == 'o' || letter == 'x' || letter == 'X' ? letter
			: conversion->kind == D_CONVERT_POINTER         ? 'x'
									: 'u';
		value = value_cut(value, type->size, false);
	}
	*at = '\0';
	fprintf(output, specification, width, precision, (long long)value);
}

/* Gives the table the conversion's text without its padding. */
static void put_cell(const struct format_context *context, const struct d_conversion *conversion,
	int64_t width, int64_t precision, uint64_t value)
{
	struct format_context own = *context;
	char *text = NULL;
	size_t size = 0;

	own.table = NULL;
	own.output = open_memstream(&text, &size);
	if (own.output) {
		format_conversion(&own, conversion, 0, precision, value);
		if (fclose(own.output)) {
			free(text);
			text = NULL;
		}
	}
	table_put_cell(context->table, text, conversion->minus, clamp(width, -FORMAT_WIDTH_MAX));
}

void format_conversion(const struct format_context *context, const struct d_conversion *conversion,
	int64_t wanted_width, int64_t wanted_precision, uint64_t value)
{
	int width = clamp(wanted_width, -FORMAT_WIDTH_MAX);
	int precision = wanted_precision > 0 ? clamp(wanted_precision, 0) : -1;
	FILE *output = context->output;

	if (context->table) {
		put_cell(context, conversion, wanted_width, wanted_precision, value);
		return;
	}
	switch (conversion->kind) {
	case D_CONVERT_CHARACTER:
		print_character(conversion, width, precision, value, context->cleans, output);
		break;
	case D_CONVERT_STRING:
		print_string(context, conversion, width, precision, value_text(value));
		break;
	case D_CONVERT_TIME:
		print_time(conversion, width, precision, value, output);
		break;
	case D_CONVERT_FLOAT:
		print_float(conversion, width, precision, value_text(value), output);
		break;
	case D_CONVERT_WIDE:
		print_wide(conversion, width, precision, value, context->cleans, output);
		break;
	case D_CONVERT_STACK:
		print_stack(context, conversion, width, precision, value);
		break;
	case D_CONVERT_PLACE:
		print_place(context, conversion, width, precision, value);
		break;
	default:
		print_integer(conversion, width, precision, value, output);
	}
}

void format_values(const struct format_context *context, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	unsigned next = 0;

	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];
		int64_t width = conversion->width, precision = conversion->precision;
		format_text(context, &conversion->before);
		if (!conversion->present)
			continue;
		if (conversion->width_argument)
			width = (int32_t)values[next++]; /* as C's int */
		if (conversion->precision_argument)
			precision = (int32_t)values[next++];
		if (next < action->argument_count)
			format_conversion(context, conversion, width, precision, values[next++]);
	}
}

char *format_string(const struct format_context *context, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	struct format_context own = *context;
	char *text = NULL;
	size_t size = 0;

	own.output = open_memstream(&text, &size);
	if (!own.output)
		return NULL;
	format_values(&own, format, action, values);
	if (fclose(own.output)) {
		free(text);
		return NULL;
	}
	return text;
}

/* size bytes, of which the first `length` are given and the others are 0. */
static void dump(const char *dumped, size_t length, size_t size, FILE *output)
{
	fprintf(output, "\n%11s", "");
	for (unsigned i = 0; i < DUMP_COLUMNS; i++)
		fprintf(output, "  %x", i);
	fputs("  0123456789abcdef\n", output);
	for (size_t row = 0; row < size; row += DUMP_COLUMNS) {
		fprintf(output, "%5s%5zx:", "", row);
		for (size_t i = row; i < row + DUMP_COLUMNS; i++) {
			if (i < size)
				fprintf(output, " %02x", i < length ? (uint8_t)dumped[i] : 0);
			else
				fputs("   ", output);
		}
		fputs("  ", output);
		for (size_t i = row; i < row + DUMP_COLUMNS && i < size; i++) {
			bool shown = i < length && dumped[i] >= 0x20 && dumped[i] < 0x7f;
			putc_unlocked(shown ? dumped[i] : '.', output);
		}
		putc_unlocked('\n', output);
	}
}

/*
 * Memory as bytes, 16 to a row: for structs and arrays; with option rawbytes for all. Prints
 * nothing if there are no bytes.
 */
void format_dump(const char *bytes, size_t size, FILE *output)
{
	if (size)
		dump(bytes, size, size, output);
}

/* The number of bytes that are text, before only zeroes follow or the bytes end; 0: not text. */
static int text_length(const struct text *bytes)
{
	uint32_t length = 0, at;

	while (length < bytes->length) {
		char c = bytes->bytes[length];
		if ((c < ' ' || c > '~') && (c < '\a' || c > '\r'))
			break;
		length++;
	}
	for (at = length; at < bytes->length; at++)
		if (bytes->bytes[at])
			return 0;
	return (int)length;
}

/*
 * A key that is memory: shown as text if it is text, because most such keys are arrays of
 * characters.
 */
static void print_bytes_key(const struct format_context *context, const struct text *bytes)
{
	int length = context->options->rawbytes ? 0 : text_length(bytes);

	if (length && context->cleans) {
		fputs("  ", context->output);
		print_clean(display_lines, bytes->bytes, (uint32_t)length, -50, -1, true,
			context->output);
	} else if (length)
		fprintf(context->output, "  %-50.*s", length, bytes->bytes);
	else
		format_dump(bytes->bytes, bytes->length, context->output);
}

static void trace_string(const struct format_context *context, const struct text *text)
{
	if (context->options->rawbytes)
		/* its record has strsize characters and a NUL, whatever its length */
		dump(text->bytes, text->length, (size_t)context->options->strsize + 1,
			context->output);
	else if (context->options->quiet && context->cleans)
		print_clean(display_lines, text->bytes, text->length, 0, -1, true, context->output);
	else if (context->options->quiet) {
		print_text_bytes(text, context->output);
	} else {
		fputs("  ", context->output);
		format_padded(context, text->bytes, -33);
	}
}

/* Prints values that are texts, for trace() or as a key. */
static void print_text(const struct format_context *context, const struct d_value_type *type,
	const struct text *text, bool key)
{
	char buffer[PLACE_TEXT_MAX];

	if (!text)
		return; /* a stack that is not set; recording anything else would have faulted */
	if (d_value_is_stack(type->kind))
		print_frames(context, type->kind, text, clamp(context->options->stackindent, 0),
			NULL, 0, -1);
	else if (type->kind > D_VALUE_STACK)
		fprintf(context->output, "  %-50s",
			place_text(context->places, type->kind, text, 0, buffer));
	else if (type->kind == D_VALUE_BYTES && key)
		print_bytes_key(context, text);
	else if (type->kind == D_VALUE_BYTES)
		format_dump(text->bytes, text->length, context->output);
	else if (key) {
		fputs("  ", context->output);
		format_padded(context, text->bytes, -50);
	} else
		trace_string(context, text);
}

void format_trace(
	const struct format_context *context, const struct d_value_type *type, uint64_t value)
{
	static const int widths[] = {[1] = 3, [2] = 5, [4] = 10, [8] = 19};
	const struct d_options *options = context->options;
	int width;

	if (d_value_is_text(type->kind)) {
		print_text(context, type, value_text(value), false);
		return;
	}
	value = value_cut(value, type->size, type->is_signed);
	if (options->rawbytes) {
		/* On a big-endian machine the value is in the last bytes. */
		const char *bytes = (const char *)&value;
		const uint16_t one = 1;
		if (*(const unsigned char *)&one == 0)
			bytes += sizeof(value) - type->size;
		format_dump(bytes, type->size, context->output);
		return;
	}
	width = widths[type->size];
	if (type->size == 8 && !type->is_signed)
		width = 20;
	if (options->quiet)
		width = 0;
	else
		putc_unlocked(' ', context->output);
	fprintf(context->output, type->is_signed ? "%*lld" : "%*llu", width, (long long)value);
}

void format_key(
	const struct format_context *context, const struct d_value_type *type, uint64_t value)
{
	FILE *output = context->output;

	if (d_value_is_text(type->kind)) {
		print_text(context, type, value_text(value), true);
		return;
	}
	switch (type->size) {
	case 1:
		fprintf(output, " %3" PRIu8, (uint8_t)value);
		break;
	case 2:
		fprintf(output, " %5" PRIu16, (uint16_t)value);
		break;
	case 4:
		fprintf(output, " %8" PRId32, (int32_t)value);
		break;
	default:
		fprintf(output, " %16" PRId64, (int64_t)value);
	}
}
