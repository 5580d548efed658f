/* format.c: see format.h. Numbers go through C's printf, whose flags D shares. */
#include "engine/format.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "engine/value.h"

enum { SPECIFICATION_MAX = 24, ESCAPE_MAX = 5, DUMP_COLUMNS = 16, TIME_MAX = 64 };

void format_text(const struct d_text *text, FILE *output)
{
	if (text->length)
		fwrite(text->bytes, 1, text->length, output);
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

static unsigned escape(unsigned char c, char *escaped)
{
	static const char letters[] = "abtnvfr"; /* from 7 on */

	if (c >= 7 && c <= 13) {
		escaped[0] = '\\';
		escaped[1] = letters[c - 7];
		return 2;
	}
	if (c == '\\' || c == '"') {
		escaped[0] = '\\';
		escaped[1] = (char)c;
		return 2;
	}
	if (c < 0x20 || c >= 0x7f)
		return (unsigned)snprintf(escaped, ESCAPE_MAX, "\\x%02x", c);
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
	uint64_t value, FILE *output)
{
	char specification[SPECIFICATION_MAX];

	if (conversion->letter == 'C') {
		char c = (char)value;
		print_escaped(&c, 1, width, precision, conversion->minus, output);
		return;
	}
	strcpy(start_specification(conversion, specification), "*c");
	fprintf(output, specification, width, (int)(unsigned char)value);
}

static void print_string(const struct d_conversion *conversion, int width, int precision,
	const struct d_text *text, FILE *output)
{
	char specification[SPECIFICATION_MAX];

	if (!text)
		return; /* recording it has faulted */
	if (conversion->letter == 'S') {
		print_escaped(
			text->bytes, text->length, width, precision, conversion->minus, output);
	} else if (width == 0 && precision < 0) {
		format_text(text, output);
	} else {
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
	time_t seconds = (time_t)(value / 1000000000);
	char specification[SPECIFICATION_MAX], text[TIME_MAX], clock[TIME_MAX];
	struct tm broken;

	if (!localtime_r(&seconds, &broken))
		return; /* a year that does not fit: not in 64 bits of ns */
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

void format_conversion(const struct d_conversion *conversion, int64_t wanted_width,
	int64_t wanted_precision, uint64_t value, FILE *output)
{
	int width = wanted_width == -1 ? 0 : clamp(wanted_width, -FORMAT_WIDTH_MAX);
	int precision = clamp(wanted_precision, -1);
	const struct d_value_type *type = &conversion->type;
	char specification[SPECIFICATION_MAX];
	char *at;

	switch (conversion->kind) {
	case D_CONVERT_CHARACTER:
		print_character(conversion, width, precision, value, output);
		return;
	case D_CONVERT_STRING:
		print_string(conversion, width, precision, value_text(value), output);
		return;
	case D_CONVERT_TIME:
		print_time(conversion, width, precision, value, output);
		return;
	default:
		break;
	}
	at = start_specification(conversion, specification);
	strcpy(at, "*.*ll");
	at += strlen(at);
	if (conversion->kind == D_CONVERT_SIGNED) {
		*at++ = 'd';
		value = value_cut(value, type->size, type->is_signed);
	} else {
		char letter = conversion->letter;
		*at++ = letter == 'o' || letter == 'x' || letter == 'X' ? letter
			: conversion->kind == D_CONVERT_POINTER         ? 'x'
									: 'u';
		value = value_cut(value, type->size, false);
	}
	*at = '\0';
	fprintf(output, specification, width, precision, (long long)value);
}

/* Memory as bytes, 16 to a row, for option rawbytes. */
static void print_dump(const unsigned char *bytes, size_t size, FILE *output)
{
	fprintf(output, "\n%11s", "");
	for (unsigned i = 0; i < DUMP_COLUMNS; i++)
		fprintf(output, "  %x", i);
	fputs("  0123456789abcdef\n", output);
	for (size_t row = 0; row < size; row += DUMP_COLUMNS) {
		fprintf(output, "%5s%5zx:", "", row);
		for (size_t i = row; i < row + DUMP_COLUMNS; i++) {
			if (i < size)
				fprintf(output, " %02x", bytes[i]);
			else
				fputs("   ", output);
		}
		fputs("  ", output);
		for (size_t i = row; i < row + DUMP_COLUMNS && i < size; i++)
			putc_unlocked(bytes[i] >= 0x20 && bytes[i] < 0x7f ? bytes[i] : '.', output);
		putc_unlocked('\n', output);
	}
}

static void trace_string(const struct d_options *options, const struct d_text *text, FILE *output)
{
	if (!text)
		return;
	if (options->rawbytes)
		print_dump((const unsigned char *)text->bytes, (size_t)text->length + 1, output);
	else if (options->quiet)
		format_text(text, output);
	else
		fprintf(output, "  %-33s", text->bytes);
}

void format_trace(const struct d_value_type *type, const struct d_options *options, uint64_t value,
	FILE *output)
{
	static const int widths[] = {[1] = 3, [2] = 5, [4] = 10, [8] = 19};
	int width;

	if (type->kind == D_VALUE_STRING) {
		trace_string(options, value_text(value), output);
		return;
	}
	value = value_cut(value, type->size, type->is_signed);
	if (options->rawbytes) {
		/* On a big-endian machine the value's bytes are the last ones. */
		const unsigned char *bytes = (const unsigned char *)&value;
		const uint16_t one = 1;
		if (*(const unsigned char *)&one == 0)
			bytes += sizeof(value) - type->size;
		print_dump(bytes, type->size, output);
		return;
	}
	width = widths[type->size];
	if (type->size == 8 && !type->is_signed)
		width = 20;
	if (options->quiet)
		width = 0;
	else
		putc_unlocked(' ', output);
	fprintf(output, type->is_signed ? "%*lld" : "%*llu", width, (long long)value);
}

void format_key(const struct d_value_type *type, uint64_t value, FILE *output)
{
	if (type->kind == D_VALUE_STRING) {
		fprintf(output, "  %-50s", value_text(value)->bytes);
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
