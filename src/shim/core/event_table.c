/* event_table.c: see event_table.h. A type is one piece of memory: the struct, its arrays, then its
 * texts. */
#include "shim/core/event_table.h"

#include <errno.h>
#include <string.h>

#include "shim/core/budget.h"

const struct event_type *_Atomic event_types[EVENTS_MAX];
_Atomic uint32_t event_types_count;

static char *provider_names[EVENT_PROVIDERS_MAX + 1];
static uint16_t next_wire = WIRE_PROBES;
static bool is_sealed;

/*
 * Allocates memory that is never freed, in chunks from the kernel instead of by malloc(). A type
 * stays even when the runtime itself is unloaded, because threads may still use its number.
 */
static void *keep(size_t size)
{
	static char *chunk;
	static size_t left;
	enum { CHUNK_BYTES = 32 << 10 };
	void *place;

	size = (size + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);
	if (size > left) {
		size_t bytes = size > CHUNK_BYTES ? size : CHUNK_BYTES;
		void *made = budget_map(BUDGET_TYPES, bytes, 0);
		if (!made)
			return NULL;
		left = 0;
		atomic_signal_fence(memory_order_seq_cst);
		chunk = made;
		atomic_signal_fence(memory_order_seq_cst);
		left = bytes;
	}
	/* fork() may copy the state of any moment, so `left` must never be too large. */
	left -= size;
	atomic_signal_fence(memory_order_seq_cst);
	place = chunk;
	chunk += size;
	return place;
}

/* ---- compatible providers ---- */

/* Returns the provider's bit, which is assigned if the provider is new; 0 if there are too many
 * providers or memory ran out. */
static uint32_t provider_bit(const char *name)
{
	unsigned i = 0;

	while (provider_names[i] && strcmp(provider_names[i], name) != 0)
		i++;
	if (i == EVENT_PROVIDERS_MAX)
		return 0;
	if (!provider_names[i]) {
		char *copy = keep(strlen(name) + 1);
		if (copy)
			strcpy(copy, name);
		atomic_thread_fence(memory_order_release);
		provider_names[i] = copy;
	}
	return provider_names[i] ? 1u << i : 0;
}

uint32_t event_table_provider_mask(const char *const *names)
{
	uint32_t mask = 0;

	for (; names && *names; names++)
		mask |= provider_bit(*names);
	return mask;
}

const char *event_provider(unsigned index)
{
	return index < EVENT_PROVIDERS_MAX ? provider_names[index] : NULL;
}

/* ---- the copy ---- */

/* Memory that is handed out from its beginning. If it has no memory, it only measures. */
struct piece {
	char *memory;
	size_t used;
};

static void *piece_take(struct piece *piece, const void *from, size_t size)
{
	size_t at = (piece->used + _Alignof(max_align_t) - 1) & ~(_Alignof(max_align_t) - 1);

	piece->used = at + size;
	if (!piece->memory)
		return NULL;
	return size ? memcpy(piece->memory + at, from, size) : piece->memory + at;
}

static const char *piece_text(struct piece *piece, const char *text)
{
	return piece_take(piece, text, strlen(text) + 1);
}

/* Copies the definition into the piece, or measures the size of the copy. */
static struct event_type *copy_definition(struct piece *piece, const struct vmtap_definition *from)
{
	const struct event_type empty = {.is = *from};
	struct event_type *type = piece_take(piece, &empty, sizeof(empty));
	const char *library = from->library ? piece_text(piece, from->library) : NULL;
	const uint32_t *prefixes = piece_take(
		piece, from->prefixes, (from->argument_count + 1u) * sizeof(*from->prefixes));
	const struct vmtap_field *fields =
		piece_take(piece, from->fields, from->field_count * sizeof(*from->fields));
	struct vmtap_form *forms =
		piece_take(piece, from->forms, from->form_count * sizeof(*from->forms));
	struct event_compat *compats =
		piece_take(piece, from->compats, from->compat_count * sizeof(*compats));
	const char *description = piece_text(piece, from->description);

	for (unsigned i = 0; i < from->form_count; i++) {
		const char *name = piece_text(piece, from->forms[i].name);
		if (forms)
			forms[i].name = name;
	}
	for (unsigned i = 0; i < from->compat_count; i++) {
		const char *line = piece_text(piece, from->compats[i].line);
		if (compats)
			compats[i] = (struct event_compat){
				provider_bit(from->compats[i].provider), line};
	}
	if (!type)
		return NULL;
	type->is.description = description;
	type->is.library = library;
	type->is.prefixes = prefixes;
	type->is.fields = fields;
	type->is.forms = forms;
	type->is.compats = NULL;
	type->compats = compats;
	return type;
}

/* ---- the table ---- */

static bool type_has_name(const struct event_type *type, const char *description, size_t key_length)
{
	return type->key_length == key_length &&
		!memcmp(type->is.description, description, key_length);
}

int event_table_next_of_name(const struct event_type *type, int after)
{
	int count = (int)event_count(), i = after + 1;

	while (i < count &&
		!type_has_name(event_get((uint32_t)i), type->is.description, type->key_length))
		i++;
	return i < count ? i : -1;
}

/* Returns true if the common arguments are the same. */
static bool agrees(const struct event_type *type, const struct vmtap_definition *definition)
{
	unsigned common = type->is.argument_count < definition->argument_count
		? type->is.argument_count
		: definition->argument_count;

	return type->is.prefixes[common] == definition->prefixes[common];
}

/* Returns true if this stream number is already used by some type's own event or, if with_forms is
 * set, by one of its forms. */
static bool is_taken(uint16_t wire, bool with_forms)
{
	for (uint32_t i = 0; i < event_count(); i++) {
		const struct event_type *type = event_get(i);
		if (type->wire == wire)
			return true;
		for (unsigned j = 0; with_forms && j < type->is.form_count; j++)
			if (type->is.forms[j].type == wire)
				return true;
	}
	return false;
}

/* Chooses GHC's number if an event of GHC's can serve as the probe's own, else the next of
 * vmtap's. */
static void choose_wire(struct event_type *type)
{
	type->own_form = 0xff;
	for (unsigned i = 0; i < type->is.form_count; i++)
		if (type->is.forms[i].is_whole && !is_sealed &&
			!is_taken(type->is.forms[i].type, true))
			type->own_form = (uint8_t)i;
	if (type->own_form != 0xff)
		type->wire = type->is.forms[type->own_form].type;
	else
		type->wire = next_wire++;
	for (unsigned i = 0; i < type->is.form_count; i++)
		if (i != type->own_form && is_taken(type->is.forms[i].type, false))
			type->doubled_forms |= (uint8_t)(1u << i);
}

int event_table_add(const struct vmtap_definition *given, size_t size)
{
	const size_t least = offsetof(struct vmtap_definition, library);
	struct vmtap_definition known = {0}, *definition = &known;
	size_t key_length = strcspn(given->description, "(");
	struct piece piece = {0};
	struct event_type *type;
	uint32_t count = event_count();

	/* members that an older object lacks are 0; those that a newer one adds are ignored */
	memcpy(definition, given,
		size < least                   ? least
			: size < sizeof(known) ? size
					       : sizeof(known));

	if (definition->form_count > VMTAP_FORMS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++) {
		const struct event_type *other = event_get(i);
		if (!type_has_name(other, definition->description, key_length))
			continue;
		if (other->is.digest == definition->digest)
			return (int)i;
		if (!agrees(other, definition))
			return -EINVAL;
	}
	if (count == EVENTS_MAX)
		return -ENOSPC;
	copy_definition(&piece, definition);
	piece = (struct piece){.memory = keep(piece.used)};
	if (!piece.memory)
		return -ENOMEM;
	type = copy_definition(&piece, definition);
	type->number = (uint16_t)count;
	type->key_length = (uint16_t)key_length;
	choose_wire(type);
	atomic_store_explicit(&event_types[count], type, memory_order_relaxed);
	atomic_store_explicit(&event_types_count, count + 1, memory_order_release);
	return (int)count;
}

void event_table_seal(void)
{
	is_sealed = true;
}

uint16_t event_table_next_wire(void)
{
	return next_wire;
}

uint8_t event_ghc_mask(const struct event_type *type)
{
	unsigned forms = (1u << type->is.form_count) - 1;

	if (type->own_form != 0xff)
		forms &= ~(1u << type->own_form);
	return (uint8_t)(forms * EVENT_FORM | (wire_is_ghc(type->wire) ? EVENT_OWN : 0));
}
