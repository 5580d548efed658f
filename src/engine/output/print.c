/* print.c: see print.h. */
#include "engine/output/print.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "engine/store/value.h"

enum {
	INDENT = 44, /* columns at the start of a clause's line, if not quiet */
	/*
	 * Nested unions show the same bytes again and again, so a value takes at most this many
	 * lines, or one for each byte if that is more.
	 */
	LINES_MAX = 65536
};

struct printer {
	const struct format_context *context;
	const struct d_layout *layouts;
	const char *bytes;
	uint64_t limit; /* the number of bytes to show */
	uint64_t lines; /* that may still be printed */
	bool cut;       /* there are more bytes than that */
	bool partial;   /* an array or a string has more of them */
	bool ended;     /* "..." has been printed */
};

static bool is_scalar(const struct d_layout *layout)
{
	return layout->kind < D_LAYOUT_STRING;
}

/* Whether the part to be shown is all zeroes. */
static bool is_zero(const struct printer *printer, const struct d_layout *layout, uint64_t offset,
	const struct d_layout_part *part)
{
	uint64_t end = offset + layout->size;

	if (part && part->bits)
		return end <= printer->limit &&
			!value_of_layout(layout, printer->bytes + offset, part);
	for (uint64_t at = offset; at < end && at < printer->limit; at++)
		if (printer->bytes[at])
			return false;
	return true;
}

static void start_line(struct printer *printer, unsigned level)
{
	fprintf(printer->context->output, "%*s", INDENT + (int)level, "");
	printer->lines--;
}

static void end_early(struct printer *printer, unsigned level)
{
	fprintf(printer->context->output, "%*s...\n", INDENT + (int)level, "");
	printer->ended = true;
}

static void print_scalar(const struct printer *printer, const struct d_layout *layout,
	uint64_t offset, const struct d_layout_part *part)
{
	static const struct d_conversion number = {
		.present = true, .kind = D_CONVERT_FLOAT, .letter = 'f'};
	FILE *output = printer->context->output;
	struct text bytes = {printer->bytes + offset, layout->size, 0};
	uint64_t value;

	if (layout->kind == D_LAYOUT_FLOAT) {
		format_conversion(printer->context, &number, 0, 0, value_of_text(&bytes));
		return;
	}
	value = value_of_layout(layout, printer->bytes + offset, part);
	for (size_t i = 0; layout->kind == D_LAYOUT_ENUM && i < layout->count; i++) {
		if (layout->names[i].value == (int64_t)value) {
			fputs(layout->names[i].name, output);
			return;
		}
	}
	if (layout->kind == D_LAYOUT_POINTER)
		fprintf(output, "0x%" PRIx64, value);
	else if (layout->kind == D_LAYOUT_CHARACTER && value < 0x80 && isprint((int)value))
		fprintf(output, "'%c'", (int)value);
	else if (layout->is_signed)
		fprintf(output, "%" PRId64, (int64_t)value);
	else
		fprintf(output, "%" PRIu64, value);
}

static void print_string(struct printer *printer, const struct d_layout *layout, uint64_t offset)
{
	static const struct d_conversion escaped = {
		.present = true, .kind = D_CONVERT_STRING, .letter = 'S'};
	uint64_t room = printer->limit > offset ? printer->limit - offset : 0;
	const char *bytes = printer->bytes + offset;
	struct text text = {bytes,
		(uint32_t)strnlen(bytes, layout->size < room ? layout->size : (size_t)room), 0};

	printer->partial |= text.length == room && room < layout->size;
	putc('"', printer->context->output);
	format_conversion(printer->context, &escaped, 0, 0, value_of_text(&text));
	putc('"', printer->context->output);
}

/* The member that follows a value, for use while printing the inside of the value. */
struct print_follower {
	uint64_t offset;
	unsigned level;
};

static void print_value(struct printer *printer, const struct d_layout *layout, const char *name,
	uint64_t offset, const struct d_layout_part *part, unsigned level,
	const struct print_follower *follower);

static void print_parts(struct printer *printer, const struct d_layout *layout, uint64_t offset,
	unsigned level, const struct print_follower *follower)
{
	for (size_t i = 0; i < layout->count && !printer->ended; i++) {
		const struct d_layout_part *part = &layout->parts[i];
		const struct d_layout *of = &printer->layouts[part->layout];
		uint64_t at = offset + part->offset;
		struct print_follower next = {
			offset + part[i + 1 < layout->count ? 1 : 0].offset, level};

		if ((printer->cut && at >= printer->limit) ||
			(is_scalar(of) && at + of->size > printer->limit) || !printer->lines)
			end_early(printer, level);
		else if (!is_zero(printer, of, at, part))
			print_value(printer, of, part->name, at, part, level,
				i + 1 < layout->count ? &next : follower);
	}
}

static void print_elements(
	struct printer *printer, const struct d_layout *layout, uint64_t offset, unsigned level)
{
	const struct d_layout *element = &printer->layouts[layout->element];

	for (size_t i = 0; i < layout->count && !printer->ended; i++) {
		uint64_t at = offset + i * element->size;

		if (at >= printer->limit ||
			(is_scalar(element) && at + element->size > printer->limit)) {
			printer->partial = true;
			break;
		}
		if (element->kind == D_LAYOUT_CHARACTER && !printer->bytes[at])
			break;
		if (!is_zero(printer, element, at, NULL))
			print_value(printer, element, NULL, at, NULL, level, NULL);
		if (!printer->lines)
			end_early(printer, level);
	}
}

/*
 * Before the end of a group: prints "..." at the level of the first member that is not shown, as
 * DTrace does, even though that member comes after the group. The outermost group has no member
 * after it.
 */
static void end_group(
	struct printer *printer, unsigned level, const struct print_follower *follower)
{
	if (printer->ended || !printer->cut)
		return;
	if (follower && follower->offset >= printer->limit)
		end_early(printer, follower->level);
	else if (!level && printer->partial)
		end_early(printer, 1);
}

static void print_value(struct printer *printer, const struct d_layout *layout, const char *name,
	uint64_t offset, const struct d_layout_part *part, unsigned level,
	const struct print_follower *follower)
{
	FILE *output = printer->context->output;

	if (!printer->lines) {
		end_early(printer, level);
		return;
	}
	start_line(printer, level);
	if (name)
		fprintf(output, ".%s = ", name);
	fprintf(output, "(%s)", layout->type);
	if (layout->kind == D_LAYOUT_STRUCT) {
		fputs(" {\n", output);
		print_parts(printer, layout, offset, level + 1, follower);
		end_group(printer, level, follower);
		fprintf(output, "%*s}", INDENT + (int)level, "");
	} else if (layout->kind == D_LAYOUT_ARRAY) {
		fputs(" [\n", output);
		print_elements(printer, layout, offset, level + 1);
		end_group(printer, level, NULL);
		fprintf(output, "%*s]", INDENT + (int)level, "");
	} else if (layout->kind == D_LAYOUT_STRING) {
		print_string(printer, layout, offset);
	} else {
		print_scalar(printer, layout, offset, part);
	}
	fputs(level ? ",\n" : "\n", output);
}

void print_memory_as(const struct format_context *context, const struct d_layout *layouts,
	uint32_t index, uint64_t address, const struct text *bytes)
{
	const struct d_layout *layout = &layouts[index];
	struct printer printer = {.context = context,
		.layouts = layouts,
		.bytes = bytes->bytes,
		.limit = bytes->length,
		.lines = LINES_MAX};

	if (context->options->printsize < printer.limit)
		printer.limit = context->options->printsize;
	printer.cut = printer.limit < layout->size;
	if (printer.lines < printer.limit)
		printer.lines = printer.limit;
	fprintf(context->output, "0x%" PRIx64 " = *\n", address);
	if (printer.cut && is_scalar(layout))
		end_early(&printer, 0);
	else
		print_value(&printer, layout, NULL, 0, NULL, 0, NULL);
	if (printer.partial && !printer.ended)
		end_early(&printer, 0);
}
