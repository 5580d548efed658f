/*
 * encode_types.c: see encode_types.h. The put_ functions write into room that has been made before.
 */
#include "shim/stream/encode_types.h"

#include <string.h>

#include "shim/stream/encode_private.h"
#include "wire/wire_type.h"

/* ---- in the header ---- */

/* Writes the extension of an event type, unless queue is NULL: lines that declare the probes of
 * compatible providers, and those of the provider's definition. Returns its length. */
static uint32_t put_extension(
	struct queue *queue, const struct event_type *type, uint32_t providers)
{
	uint32_t length = 0;

	for (unsigned i = 0; i < type->is.compat_count; i++) {
		const struct event_compat *compat = &type->compats[i];
		uint32_t line = (uint32_t)strlen(compat->line);
		uint32_t absent = compat->provider & providers ? 0 : sizeof(WIRE_ABSENT) - 1;
		if (!compat->provider) /* there are too many providers */
			continue;
		if (queue) {
			queue_put(queue, WIRE_ABSENT, absent);
			queue_put(queue, compat->line, line);
			queue_put_u8(queue, '\n');
		}
		length += absent + line + 1;
	}
	if (type->is.library) {
		uint32_t library = (uint32_t)strlen(type->is.library);
		if (library > WIRE_LIBRARY_MAX)
			return length;
		if (queue)
			queue_put(queue, type->is.library, library);
		length += library;
	}
	return length;
}

/* Declares an event type up to its extension. */
static void put_type(struct queue *queue, uint16_t type, uint16_t size, const char *description)
{
	uint32_t length = (uint32_t)strlen(description);

	queue_put_u32(queue, WIRE_TYPE_BEGIN);
	queue_put_u16(queue, type);
	queue_put_u16(queue, size);
	queue_put_u32(queue, length);
	queue_put(queue, description, length);
}

static void put_plain_type(
	struct queue *queue, uint16_t type, uint16_t size, const char *description)
{
	put_type(queue, type, size, description);
	queue_put_u32(queue, 0);
	queue_put_u32(queue, WIRE_TYPE_END);
}

/* Returns true if the header declares the type independently of the probes. */
static bool is_plain(const struct wire_type *type)
{
	return *type->text && !(type->traits & WIRE_TRACER);
}

static void note_ghc(struct encoder *encoder, uint16_t type)
{
	if (wire_is_ghc(type))
		encoder->ghc_declared[type / 8] |= (uint8_t)(1u << type % 8);
}

static void put_probe_type(
	struct encoder *encoder, const struct event_type *type, uint32_t providers)
{
	struct queue *queue = &encoder->queue;

	put_type(queue, type->wire, type->is.has_text ? WIRE_VARIABLE : type->is.payload,
		type->is.description);
	queue_put_u32(queue, put_extension(NULL, type, providers));
	put_extension(queue, type, providers);
	queue_put_u32(queue, WIRE_TYPE_END);
	note_ghc(encoder, type->wire);
}

/* Declares the types of GHC's events that come in addition to the probes' own, each type once. */
static void put_form_types(struct encoder *encoder, const struct event_type *type)
{
	for (unsigned i = 0; i < type->is.form_count; i++) {
		const struct vmtap_form *form = &type->is.forms[i];
		if (i == type->own_form || encode_is_ghc_declared(encoder, form->type))
			continue;
		put_plain_type(&encoder->queue, form->type,
			form->has_text ? WIRE_VARIABLE : form->payload, form->name);
		note_ghc(encoder, form->type);
	}
}

void encode_put_header(struct encoder *encoder, const struct process *process)
{
	struct queue *queue = &encoder->queue;

	queue_put_u32(queue, WIRE_HEADER_BEGIN);
	queue_put_u32(queue, WIRE_TYPES_BEGIN);
	for (unsigned i = 0; i < WIRE_TYPE_COUNT; i++) {
		const struct wire_type *type = &wire_types[i];
		if (!is_plain(type) ||
			(!process->environment && type->number == WIRE_PROGRAM_ENV) ||
			(!encoder->stacks && type->number == WIRE_STACK))
			continue;
		put_plain_type(queue, type->number, type->size, type->text);
		note_ghc(encoder, type->number);
	}
	for (uint32_t i = 0; i < encoder->known_types; i++)
		put_probe_type(encoder, event_get(i), process->providers);
	for (uint32_t i = 0; i < encoder->known_types; i++)
		put_form_types(encoder, event_get(i));
	for (unsigned i = WIRE_SPARES; i; i--)
		put_plain_type(
			queue, (uint16_t)(encoder->spare_end - i), WIRE_VARIABLE, WIRE_SPARE);
	queue_put_u32(queue, WIRE_TYPES_END);
	queue_put_u32(queue, WIRE_HEADER_END);
	queue_put_u32(queue, WIRE_DATA_BEGIN);
}

size_t encode_header_bytes(const struct encoder *encoder, uint32_t providers)
{
	size_t bytes = 64 + WIRE_SPARES * (20 + sizeof(WIRE_SPARE));

	for (unsigned i = 0; i < WIRE_TYPE_COUNT; i++)
		if (is_plain(&wire_types[i]))
			bytes += 20 + strlen(wire_types[i].text);
	for (uint32_t i = 0; i < encoder->known_types; i++) {
		const struct event_type *type = event_get(i);
		bytes += 20 + strlen(type->is.description) + put_extension(NULL, type, providers);
		for (unsigned j = 0; j < type->is.form_count; j++)
			bytes += 20 + strlen(type->is.forms[j].name);
	}
	return bytes;
}

/* ---- after it ---- */

/*
 * Returns the type that carries the definition of this one's provider, or NULL if the client lacks
 * none. That type is described first, whether or not it is ever fired, because scripts need the
 * definition for all probes of the provider.
 */
static const struct event_type *undeclared_library(
	const struct encoder *encoder, const struct event_type *type)
{
	size_t length = strcspn(type->is.description, ":") + 1;

	for (uint32_t i = encoder->known_types; i < event_count(); i++) {
		const struct event_type *other = event_get(i);

		if (other->is.library && other != type && encode_must_declare(encoder, other) &&
			other->wire < encoder->spare_end &&
			!strncmp(other->is.description, type->is.description, length))
			return other;
	}
	return NULL;
}

static size_t declaration_size(const struct event_type *type)
{
	return WIRE_EVENT_BYTES + 2 + 4 + strlen(type->is.description) +
		put_extension(NULL, type, 0);
}

size_t encode_declaration_bytes(const struct encoder *encoder, const struct event_type *type)
{
	const struct event_type *library = undeclared_library(encoder, type);

	return declaration_size(type) + (library ? declaration_size(library) : 0);
}

static void put_one_declaration(
	struct encoder *encoder, const struct event_type *type, uint64_t time)
{
	struct queue *queue = &encoder->queue;
	uint16_t length = (uint16_t)strlen(type->is.description);

	encode_put_event(queue, WIRE_DECLARE, time);
	queue_put_u16(queue, (uint16_t)(declaration_size(type) - WIRE_EVENT_BYTES - 2));
	queue_put_u16(queue, type->wire);
	queue_put_u16(queue, length);
	queue_put(queue, type->is.description, length);
	put_extension(queue, type, encoder->providers);
	encoder->declared[type->number / 8] |= (uint8_t)(1u << type->number % 8);
}

void encode_put_declaration(struct encoder *encoder, const struct event_type *type, uint64_t time)
{
	const struct event_type *library = undeclared_library(encoder, type);

	if (library)
		put_one_declaration(encoder, library, time);
	put_one_declaration(encoder, type, time);
}

bool encode_declaration(struct encoder *encoder, const struct event_type *type, uint64_t time)
{
	if (!encode_must_declare(encoder, type) || type->wire >= encoder->spare_end)
		return true;
	if (!encode_room(encoder, ENCODE_BLOCK_BYTES + encode_declaration_bytes(encoder, type)))
		return false;
	encode_block_begin(encoder, WIRE_NO_CAP, time);
	encode_put_declaration(encoder, type, time);
	return true;
}
