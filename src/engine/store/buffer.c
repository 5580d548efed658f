/*
 * buffer.c: see buffer.h. An entry is one piece of memory: the struct, its records, its values, the
 * name of the function, then the texts that values point to.
 */
#include "engine/store/buffer.h"

#include <string.h>

#include "engine/store/value.h"

void buffer_init(struct buffer *buffer, struct slab *slab, uint64_t limit)
{
	*buffer = (struct buffer){.slab = slab, .limit = limit};
}

static size_t aligned(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* Bytes that a text value occupies in an entry. Raw memory and stacks are stored as texts too. */
static size_t size_behind(const struct d_value_type *type, uint64_t value)
{
	if (!value || !d_value_is_text(type->kind))
		return 0;
	return aligned(sizeof(struct text) + value_text(value)->length + 1);
}

/* Copies that text to `at`; returns the value that points to the copy. */
static uint64_t copy_behind(const struct d_value_type *type, uint64_t value, char *at)
{
	struct text copy;

	if (!value || !d_value_is_text(type->kind))
		return value;
	copy = *value_text(value);
	memcpy(at + sizeof(copy), copy.bytes, copy.length);
	copy.bytes = at + sizeof(copy);
	at[sizeof(copy) + copy.length] = '\0';
	memcpy(at, &copy, sizeof(copy));
	return (uintptr_t)at;
}

static size_t fixed_size(const struct recorded *recorded)
{
	return aligned(sizeof(struct buffer_entry)) +
		aligned(recorded->record_count * sizeof(struct buffer_record)) +
		recorded->value_count * sizeof(uint64_t) +
		(recorded->function ? aligned(strlen(recorded->function) + 1) : 0);
}

static size_t entry_size(const struct recorded *recorded)
{
	size_t size = fixed_size(recorded);

	for (uint32_t i = 0; i < recorded->record_count; i++) {
		const struct buffer_record *record = &recorded->records[i];
		for (unsigned k = 0; k < record->action->argument_count; k++)
			size += size_behind(
				&record->action->types[k], recorded->values[record->first + k]);
	}
	return size;
}

static bool append(struct buffer *buffer, const struct recorded *recorded, size_t size)
{
	struct buffer_entry *entry = slab_get(buffer->slab, size);
	char *at = (char *)entry;
	struct buffer_record *records;
	uint64_t *values;

	if (!entry)
		return false;
	records = (struct buffer_record *)(at + aligned(sizeof(*entry)));
	values = (uint64_t *)((char *)records + aligned(recorded->record_count * sizeof(*records)));
	*entry = (struct buffer_entry){.size = size, .recorded = *recorded};
	entry->recorded.records = records;
	entry->recorded.values = values;
	if (recorded->function) {
		char *function = (char *)(values + recorded->value_count);

		entry->recorded.function = strcpy(function, recorded->function);
	}
	at += fixed_size(recorded);
	for (uint32_t i = 0; i < recorded->record_count; i++) {
		const struct buffer_record *record = &recorded->records[i];
		records[i] = *record;
		for (unsigned k = 0; k < record->action->argument_count; k++) {
			const struct d_value_type *type = &record->action->types[k];
			uint64_t value = recorded->values[record->first + k];
			values[record->first + k] = copy_behind(type, value, at);
			at += size_behind(type, value);
		}
	}
	if (buffer->last)
		buffer->last->next = entry;
	else
		buffer->first = entry;
	buffer->last = entry;
	buffer->size += size;
	return true;
}

bool buffer_add(struct buffer *buffer, const struct recorded *recorded)
{
	size_t size = entry_size(recorded);

	return size <= buffer->limit && buffer->size <= buffer->limit - size &&
		append(buffer, recorded, size);
}

bool buffer_add_newest(struct buffer *buffer, const struct recorded *recorded)
{
	size_t size = entry_size(recorded);

	if (size > buffer->limit)
		return false;
	while (buffer->size > buffer->limit - size)
		buffer_drop_first(buffer);
	return append(buffer, recorded, size);
}

void buffer_drop_first(struct buffer *buffer)
{
	struct buffer_entry *entry = buffer->first;

	buffer->first = entry->next;
	if (!buffer->first)
		buffer->last = NULL;
	buffer->size -= entry->size;
	slab_put(buffer->slab, entry, entry->size);
}
