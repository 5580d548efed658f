/* layout.c: see layout.h. */
#include "wire/layout.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "wire/describe.h"
#include "wire/wire_type.h"

/* The fields of a row of wire/event_types.h. */
static void make_fields(struct layout *layout, const char *text)
{
	while (*text && layout->field_count < LAYOUT_FIELDS_MAX) {
		struct layout_field *field = &layout->fields[layout->field_count++];
		size_t length = strcspn(text, ":");
		snprintf(field->name, sizeof(field->name), "%.*s", (int)length, text);
		text += length + 1;
		switch (*text) {
		case 'z':
			field->kind = LAYOUT_STRING;
			break;
		case 't':
			field->kind = LAYOUT_TEXT;
			break;
		case 'x':
			field->kind = LAYOUT_BYTES;
			break;
		default:
			field->kind = LAYOUT_NUMBER;
			field->size = (uint8_t)(*text - '0');
			break;
		}
		text += strspn(text + 1, " ") + 1;
	}
}

static void make_probe(struct layout *layout, const struct description *description)
{
	layout->is_probe = true;
	memcpy(layout->provider, description->provider, sizeof(description->provider));
	memcpy(layout->name, description->name, sizeof(layout->name));
	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < description->argument_count; i++) {
			const struct describe_argument *argument = &description->arguments[i];
			struct layout_field *field = &layout->fields[layout->field_count];
			/* the text comes last, wherever it is among the arguments */
			if ((argument->kind == DESCRIBE_TEXT) != (pass == 1) ||
				argument->kind == DESCRIBE_CAP)
				continue;
			snprintf(field->name, sizeof(field->name), "%s",
				argument->name[0] ? argument->name : "?");
			field->kind = argument->kind == DESCRIBE_NAME ? LAYOUT_NAME
				: argument->kind == DESCRIBE_TEXT     ? LAYOUT_TEXT
								      : LAYOUT_NUMBER;
			field->size = argument->size;
			field->is_signed = argument->is_signed;
			layout->field_count++;
		}
	}
}

void layout_make(struct layout *layout, uint16_t type, const char *text)
{
	const struct wire_type *known = wire_type_find(type);
	struct description description;

	*layout = (struct layout){.name = ""};
	if (describe_parse(text, strlen(text), &description, NULL) > 0) {
		make_probe(layout, &description);
		return;
	}
	if (known) {
		snprintf(layout->name, sizeof(layout->name), "%s", known->name);
		make_fields(layout, known->fields);
		return;
	}
	snprintf(layout->name, sizeof(layout->name), "type-%u", type);
	make_fields(layout, "payload:x");
}

bool layout_field(const struct layout *layout, unsigned int field, const unsigned char *payload,
	size_t length, const unsigned char **at, size_t *size)
{
	size_t offset = 0, next = 0;

	for (unsigned int i = 0; i <= field; i++) {
		const struct layout_field *one = &layout->fields[i];
		const unsigned char *end;
		offset = next;
		switch (one->kind) {
		case LAYOUT_NUMBER:
		case LAYOUT_NAME:
			*size = one->size;
			next = offset + one->size;
			break;
		case LAYOUT_STRING:
			end = offset < length ? memchr(payload + offset, 0, length - offset) : NULL;
			if (!end)
				return false;
			*size = (size_t)(end - payload) - offset;
			next = offset + *size + 1;
			break;
		default:
			if (offset > length)
				return false;
			*size = length - offset;
			next = length;
			break;
		}
		if (next > length)
			return false;
	}
	*at = payload + offset;
	return true;
}

uint64_t layout_number(const struct layout_field *field, const unsigned char *at)
{
	switch (field->size) {
	case 1:
		return field->is_signed ? (uint64_t)(int64_t)(int8_t)*at : *at;
	case 2:
		return field->is_signed ? (uint64_t)(int64_t)(int16_t)bytes_u16(at) : bytes_u16(at);
	case 4:
		return field->is_signed ? (uint64_t)(int64_t)(int32_t)bytes_u32(at) : bytes_u32(at);
	default:
		return bytes_u64(at);
	}
}

unsigned int layout_find(const struct layout *layout, const char *name)
{
	unsigned int i = 0;

	while (i < layout->field_count && strcmp(layout->fields[i].name, name) != 0)
		i++;
	return i;
}
