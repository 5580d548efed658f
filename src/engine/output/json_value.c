/* json_value.c: see json_value.h. */
#include "engine/output/json_value.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/json_text.h"
#include "engine/output/place_text.h"
#include "engine/store/value.h"

enum {
	/* Nested unions show the same bytes again and again, so a print() has at most this many
	 * values, or one for each byte if that is more. */
	VALUES_MAX = 65536
};

void json_value_bytes(const char *bytes, size_t size, FILE *output)
{
	fputs("{\"hex\":\"", output);
	for (size_t i = 0; i < size; i++)
		fprintf(output, "%02x", (unsigned char)bytes[i]);
	fputs("\"}", output);
}

void json_value_float(const char *bytes, size_t size, FILE *output)
{
	long double wide = 0;
	double number;
	float narrow;

	if (size == sizeof(narrow)) {
		memcpy(&narrow, bytes, sizeof(narrow));
		number = narrow;
	} else if (size == sizeof(number)) {
		memcpy(&number, bytes, sizeof(number));
	} else {
		memcpy(&wide, bytes, size < sizeof(wide) ? size : sizeof(wide));
		number = (double)wide;
	}
	if (isfinite(number))
		fprintf(output, "%.17g", number);
	else
		fputs("null", output);
}

static void print_integer(uint64_t value, bool is_signed, FILE *output)
{
	if (is_signed)
		fprintf(output, "%" PRId64, (int64_t)value);
	else
		fprintf(output, "%" PRIu64, value);
}

static void print_frames(
	const struct format_context *context, enum d_value_kind kind, const struct text *stack)
{
	const char *separator = "[", *text;
	char buffer[PLACE_TEXT_MAX];
	uint64_t at = 0;

	while ((text = place_frame_text(context->places, kind, stack, &at, buffer))) {
		fputs(separator, context->output);
		json_text_print(text, strlen(text), context->output);
		separator = ",";
	}
	fputs(*separator == ',' ? "]" : "[]", context->output);
}

void json_value_print(
	const struct format_context *context, const struct d_value_type *type, uint64_t value)
{
	const struct text *text = d_value_is_text(type->kind) ? value_text(value) : NULL;
	FILE *output = context->output;
	char buffer[PLACE_TEXT_MAX];
	const char *frame;

	if (!d_value_is_text(type->kind)) {
		print_integer(
			value_cut(value, type->size, type->is_signed), type->is_signed, output);
	} else if (!text) {
		fputs(d_value_is_stack(type->kind) ? "[]" : "null", output);
	} else if (type->kind == D_VALUE_STRING) {
		json_text_print(text->bytes, text->length, output);
	} else if (type->kind == D_VALUE_BYTES) {
		json_value_bytes(text->bytes, text->length, output);
	} else if (d_value_is_stack(type->kind)) {
		print_frames(context, type->kind, text);
	} else {
		frame = place_text(context->places, type->kind, text, 0, buffer);
		json_text_print(frame, strlen(frame), output);
	}
}

struct layout_printer {
	const struct format_context *context;
	const struct d_layout *layouts;
	const char *bytes;
	uint64_t limit;  /* the number of bytes to show */
	uint64_t values; /* that may still be printed */
	bool is_cut;
};

static void print_scalar(const struct layout_printer *printer, const struct d_layout *layout,
	uint64_t offset, const struct d_layout_part *part)
{
	FILE *output = printer->context->output;
	uint64_t value;

	if (layout->kind == D_LAYOUT_FLOAT) {
		json_value_float(printer->bytes + offset, layout->size, output);
		return;
	}
	value = value_of_layout(layout, printer->bytes + offset, part);
	for (size_t i = 0; layout->kind == D_LAYOUT_ENUM && i < layout->count; i++) {
		if (layout->names[i].value == (int64_t)value) {
			json_text_print(
				layout->names[i].name, strlen(layout->names[i].name), output);
			return;
		}
	}
	print_integer(value, layout->is_signed, output);
}

/* Whether there is room for one more value that begins at offset and has, if a scalar, size. */
static bool has_room(struct layout_printer *printer, const struct d_layout *layout, uint64_t offset)
{
	uint64_t end = offset + (layout->kind < D_LAYOUT_STRING ? layout->size : 0);

	if (offset < printer->limit && end <= printer->limit && printer->values) {
		printer->values--;
		return true;
	}
	/* a value of no bytes at the end of the memory is not missing */
	if (layout->size)
		printer->is_cut = true;
	return false;
}

static void print_layout(struct layout_printer *printer, const struct d_layout *layout,
	uint64_t offset, const struct d_layout_part *part);

static void print_parts(
	struct layout_printer *printer, const struct d_layout *layout, uint64_t offset)
{
	FILE *output = printer->context->output;
	bool is_first = true;

	putc('{', output);
	for (size_t i = 0; i < layout->count; i++) {
		const struct d_layout_part *part = &layout->parts[i];
		const struct d_layout *of = &printer->layouts[part->layout];
		const char *name = part->name ? part->name : "";

		if (!has_room(printer, of, offset + part->offset))
			continue;
		if (!is_first)
			putc(',', output);
		is_first = false;
		json_text_print(name, strlen(name), output);
		putc(':', output);
		print_layout(printer, of, offset + part->offset, part);
	}
	putc('}', output);
}

static void print_elements(
	struct layout_printer *printer, const struct d_layout *layout, uint64_t offset)
{
	const struct d_layout *element = &printer->layouts[layout->element];
	FILE *output = printer->context->output;

	putc('[', output);
	for (size_t i = 0; i < layout->count; i++) {
		uint64_t at = offset + i * element->size;

		if (!has_room(printer, element, at))
			break;
		if (i)
			putc(',', output);
		print_layout(printer, element, at, NULL);
	}
	putc(']', output);
}

static void print_layout(struct layout_printer *printer, const struct d_layout *layout,
	uint64_t offset, const struct d_layout_part *part)
{
	uint64_t room = printer->limit - offset;
	const char *bytes = printer->bytes + offset;
	size_t length;

	if (layout->kind == D_LAYOUT_STRUCT) {
		print_parts(printer, layout, offset);
	} else if (layout->kind == D_LAYOUT_ARRAY &&
		printer->layouts[layout->element].kind != D_LAYOUT_CHARACTER) {
		print_elements(printer, layout, offset);
	} else if (layout->kind == D_LAYOUT_STRING || layout->kind == D_LAYOUT_ARRAY) {
		length = strnlen(bytes, layout->size < room ? layout->size : (size_t)room);
		printer->is_cut |= length == room && room < layout->size;
		json_text_print(bytes, length, printer->context->output);
	} else {
		print_scalar(printer, layout, offset, part);
	}
}

bool json_value_layout(const struct format_context *context, const struct d_layout *layouts,
	uint32_t index, const struct text *bytes)
{
	struct layout_printer printer = {.context = context,
		.layouts = layouts,
		.bytes = bytes->bytes,
		.limit = bytes->length,
		.values = VALUES_MAX};

	if (context->options->printsize < printer.limit)
		printer.limit = context->options->printsize;
	if (printer.values < printer.limit)
		printer.values = printer.limit;
	if (has_room(&printer, &layouts[index], 0))
		print_layout(&printer, &layouts[index], 0, NULL);
	else
		fputs("null", context->output);
	return !printer.is_cut;
}
