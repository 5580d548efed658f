/*
 * heap_samples.c: see heap_samples.h. Amounts are collected for the sample that is open, and become
 * one of the two that are compared when its end arrives: a sample without an end never counts.
 */
#include "cli/heap/heap_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/text.h"
#include "wire/wire.h"

enum {
	STRING_BYTES = 8 + 1, /* of a HEAP_PROF_SAMPLE_STRING before its label */
	BREAKDOWN_AT = 9      /* in a HEAP_PROF_BEGIN */
};

int heap_samples_init(struct heap_samples *samples, uint64_t from, uint64_t to)
{
	*samples = (struct heap_samples){.from = from, .to = to};
	return 0;
}

void heap_samples_free(struct heap_samples *samples)
{
	for (size_t i = 0; i < samples->label_count; i++)
		free(samples->labels[i].text);
	free(samples->labels);
	hash_table_free(&samples->label_table);
	*samples = (struct heap_samples){0};
}

/* ---- labels ---- */

struct label_text {
	const char *text;
	uint32_t length;
};

static bool is_label(const void *labels, uint32_t index, const void *key)
{
	const struct heap_label *label = &((const struct heap_label *)labels)[index];
	const struct label_text *wanted = key;

	return label->length == wanted->length && !memcmp(label->text, wanted->text, label->length);
}

/* The label's index, which is added; -ENOSPC, -ENOMEM. */
static int find_label(
	struct heap_samples *samples, const char *text, uint32_t length, size_t *index)
{
	uint32_t hash = text_hash(text, length);
	uint32_t found = hash_table_find(&samples->label_table, hash, is_label, samples->labels,
		&(struct label_text){text, length});
	char *copy;

	*index = found;
	if (found != HASH_TABLE_NONE)
		return 0;
	if (samples->label_count == HEAP_LABELS_MAX)
		return -ENOSPC;
	if (array_room(&samples->labels, &samples->label_room, samples->label_count,
		    sizeof(*samples->labels)) ||
		hash_table_room(&samples->label_table))
		return -ENOMEM;
	copy = malloc((size_t)length + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, text, length);
	copy[length] = '\0';
	*index = samples->label_count++;
	samples->labels[*index] = (struct heap_label){.text = copy, .length = length};
	return hash_table_add(&samples->label_table, hash, (uint32_t)*index);
}

/* ---- events ---- */

static void clear(struct heap_samples *samples, enum heap_which which)
{
	for (size_t i = 0; i < samples->label_count; i++)
		samples->labels[i].amounts[which] = (struct heap_amount){0, 0};
}

static void keep(struct heap_samples *samples, enum heap_which which)
{
	samples->samples[which] = samples->samples[HEAP_OPEN];
	samples->samples[which].is_there = true;
	for (size_t i = 0; i < samples->label_count; i++)
		samples->labels[i].amounts[which] = samples->labels[i].amounts[HEAP_OPEN];
}

static void begin(struct heap_samples *samples, const struct record *record)
{
	clear(samples, HEAP_OPEN);
	samples->samples[HEAP_OPEN] = (struct heap_sample){
		.number = bytes_u64(record->payload), .time = record->time, .is_there = true};
	samples->has_last = false;
}

static void end(struct heap_samples *samples, const struct record *record)
{
	uint64_t number = bytes_u64(record->payload);

	samples->has_last = false;
	if (!samples->samples[HEAP_OPEN].is_there || number != samples->samples[HEAP_OPEN].number)
		return;
	samples->count++;
	if (samples->from ? number == samples->from : !samples->samples[HEAP_EARLIER].is_there)
		keep(samples, HEAP_EARLIER);
	if (!samples->to || number == samples->to)
		keep(samples, HEAP_LATER);
	samples->samples[HEAP_OPEN].is_there = false;
}

static int heap_samples_add(struct heap_samples *samples, const struct record *record)
{
	const char *text = (const char *)record->payload + STRING_BYTES;
	size_t length = strnlen(text, record->size - STRING_BYTES), index;
	int result = find_label(samples, text, (uint32_t)length, &index);

	samples->has_last = !result;
	if (result == -ENOSPC)
		samples->left_out++;
	if (result)
		return result == -ENOMEM ? result : 0;
	samples->last = index;
	samples->labels[index].amounts[HEAP_OPEN].bytes += bytes_u64(record->payload + 1);
	return 0;
}

int heap_samples_take(struct heap_samples *samples, const struct record *record)
{
	bool is_open = samples->samples[HEAP_OPEN].is_there;

	if (!record_is_whole(record))
		return 0;
	switch (record->type) {
	case WIRE_LOSS:
		if (bytes_u16(record->payload) == WIRE_HEAP_PROF_SAMPLE_BEGIN)
			samples->lost += record_lost(record);
		break;
	case WIRE_HEAP_PROF_BEGIN:
		samples->by = bytes_u32(record->payload + BREAKDOWN_AT);
		break;
	case WIRE_HEAP_PROF_SAMPLE_BEGIN:
		begin(samples, record);
		break;
	case WIRE_HEAP_PROF_SAMPLE_END:
		end(samples, record);
		break;
	case WIRE_HEAP_PROF_SAMPLE_STRING:
		return is_open ? heap_samples_add(samples, record) : 0;
	case WIRE_HEAP_PROF_SAMPLE_COST_CENTRE:
		samples->unlabelled++;
		break;
	case WIRE_HEAP_OBJECTS:
		if (is_open && samples->has_last) {
			samples->labels[samples->last].amounts[HEAP_OPEN].objects +=
				bytes_u64(record->payload);
			samples->knows_objects = true;
		}
		samples->has_last = false;
		break;
	default:
		break;
	}
	return 0;
}

struct heap_amount heap_samples_total(
	const struct heap_samples *samples, enum heap_which which, size_t *labels)
{
	struct heap_amount total = {0, 0};

	*labels = 0;
	for (size_t i = 0; i < samples->label_count; i++) {
		const struct heap_amount *amount = &samples->labels[i].amounts[which];

		total.bytes += amount->bytes;
		total.objects += amount->objects;
		*labels += amount->bytes || amount->objects;
	}
	return total;
}
