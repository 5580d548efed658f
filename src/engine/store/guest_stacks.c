/*
 * guest_stacks.c: see guest_stacks.h. Nodes are found by slots of their own: a node's hash follows
 * from the node, and with the hashes that base/hash_table.h keeps, 160,000 stacks of 16 frames take
 * 72 MB instead of 56.
 */
#include "engine/store/guest_stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/method_text.h"

enum { NODE_SLOTS_MIN = 64 };

static inline uint32_t mix(uint32_t hash, uint32_t word)
{
	return hash_table_number((uint64_t)hash << 32 | word);
}

static uint32_t hash_of_frame(const struct guest_frame *frame)
{
	return mix(mix(mix(frame->names[0], frame->names[1]), frame->names[2]), frame->line);
}

void guest_stacks_free(struct guest_stacks *stacks)
{
	for (size_t i = 1; i < stacks->text_count; i++)
		free(stacks->texts[i].bytes);
	free(stacks->nodes);
	free(stacks->frames);
	free(stacks->texts);
	free(stacks->node_slots);
	hash_table_free(&stacks->frame_table);
	hash_table_free(&stacks->text_table);
	*stacks = (struct guest_stacks){0};
}

/* Makes room for one more entry of an array, whose first entry is not used, and in its table. */
static bool room_for_more(void *array, size_t *count, size_t *capacity, size_t size, size_t most,
	struct hash_table *table)
{
	if (!*count)
		*count = 1;
	return *count < most && !array_room(array, capacity, *count, size) &&
		!hash_table_room(table);
}

static bool is_text(const void *texts, uint32_t number, const void *key)
{
	const struct guest_text *text = &((const struct guest_text *)texts)[number], *wanted = key;

	return text->length == wanted->length && !memcmp(text->bytes, wanted->bytes, text->length);
}

/* The number of a text; 0: there is no room for it. */
static uint32_t number_of_text(struct guest_stacks *stacks, const char *bytes, uint32_t length)
{
	struct guest_text text = {(char *)(uintptr_t)bytes, length};
	uint32_t hash = text_hash(bytes, length);
	uint32_t number = hash_table_find(&stacks->text_table, hash, is_text, stacks->texts, &text);

	if (number != HASH_TABLE_NONE)
		return number;
	if (stacks->text_bytes + length > GUEST_STACKS_TEXT_BYTES_MAX ||
		!room_for_more(&stacks->texts, &stacks->text_count, &stacks->text_capacity,
			sizeof(text), GUEST_STACKS_TEXTS_MAX, &stacks->text_table) ||
		!(text.bytes = malloc((size_t)length + 1)))
		return 0;
	memcpy(text.bytes, bytes, length);
	text.bytes[length] = '\0';
	stacks->text_bytes += length;
	number = (uint32_t)stacks->text_count++;
	stacks->texts[number] = text;
	hash_table_add(&stacks->text_table, hash, number);
	return number;
}

static bool is_frame(const void *frames, uint32_t number, const void *key)
{
	return !memcmp(
		&((const struct guest_frame *)frames)[number], key, sizeof(struct guest_frame));
}

/* The number of a frame; 0: there is no room for it. */
static uint32_t number_of_frame(struct guest_stacks *stacks, const struct guest_frame *frame)
{
	uint32_t hash = hash_of_frame(frame);
	uint32_t number =
		hash_table_find(&stacks->frame_table, hash, is_frame, stacks->frames, frame);

	if (number != HASH_TABLE_NONE)
		return number;
	if (!room_for_more(&stacks->frames, &stacks->frame_count, &stacks->frame_capacity,
		    sizeof(*frame), GUEST_STACKS_FRAMES_MAX, &stacks->frame_table))
		return 0;
	number = (uint32_t)stacks->frame_count++;
	stacks->frames[number] = *frame;
	hash_table_add(&stacks->frame_table, hash, number);
	return number;
}

/* Returns the slot of a node, or the free one where it belongs. */
static uint32_t *node_slot(const struct guest_stacks *stacks, uint32_t parent, uint32_t frame)
{
	uint32_t at = mix(parent, frame) & stacks->node_mask;

	for (; stacks->node_slots[at]; at = (at + 1) & stacks->node_mask) {
		const struct guest_node *node = &stacks->nodes[stacks->node_slots[at]];

		if (node->parent == parent && node->frame == frame)
			break;
	}
	return &stacks->node_slots[at];
}

/* Makes room for one more node in the slots, at most two of three being used. */
static bool room_for_node(struct guest_stacks *stacks)
{
	uint32_t size = stacks->node_slots ? (stacks->node_mask + 1) * 2 : NODE_SLOTS_MIN;
	uint32_t *slots;

	if (stacks->node_slots &&
		(stacks->node_count + 1) * 3 <= ((size_t)stacks->node_mask + 1) * 2)
		return true;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	free(stacks->node_slots);
	stacks->node_slots = slots;
	stacks->node_mask = size - 1;
	for (uint32_t number = 1; number < stacks->node_count; number++)
		*node_slot(stacks, stacks->nodes[number].parent, stacks->nodes[number].frame) =
			number;
	return true;
}

/* The number of a node; 0: there is no room for it. */
static uint32_t number_of_node(struct guest_stacks *stacks, uint32_t parent, uint32_t frame)
{
	uint32_t *slot;

	if (!stacks->node_count)
		stacks->node_count = 1;
	if (!room_for_node(stacks))
		return 0;
	slot = node_slot(stacks, parent, frame);
	if (*slot)
		return *slot;
	if (stacks->node_count == GUEST_STACKS_NODES_MAX ||
		array_room(&stacks->nodes, &stacks->node_capacity, stacks->node_count,
			sizeof(*stacks->nodes)))
		return 0;
	stacks->nodes[stacks->node_count] = (struct guest_node){parent, frame};
	*slot = (uint32_t)stacks->node_count++;
	return *slot;
}

/* The frame that stands for those that the VM has cut. */
static uint32_t more_frames(struct guest_stacks *stacks)
{
	static const char text[] = "(more frames)";
	struct guest_frame frame = {.names[0] = number_of_text(stacks, "", 0),
		.names[1] = number_of_text(stacks, text, sizeof(text) - 1)};

	frame.names[2] = frame.names[0];
	return frame.names[0] && frame.names[1] ? number_of_frame(stacks, &frame) : 0;
}

bool guest_stacks_take(struct guest_stacks *stacks, const struct event_batch *batch,
	const struct event_guest_stack *stack, uint32_t most, uint32_t *number)
{
	uint32_t node = 0, frame, offset;

	*number = 0;
	if (stack->cut && most > stack->count) {
		frame = more_frames(stacks);
		node = frame ? number_of_node(stacks, 0, frame) : 0;
		if (!node)
			return false;
	}
	for (uint32_t i = stack->count < most ? stack->count : most; i-- > 0;) {
		const struct event_frame *given = &stack->frames[i];
		struct guest_frame wanted = {.line = given->line};

		for (unsigned j = 0; j < 3; j++) {
			const struct text *text = event_text(batch, given->names[j], &offset);

			wanted.names[j] = number_of_text(
				stacks, text ? text->bytes : "", text ? text->length : 0);
			if (!wanted.names[j])
				return false;
		}
		frame = number_of_frame(stacks, &wanted);
		node = frame ? number_of_node(stacks, node, frame) : 0;
		if (!node)
			return false;
	}
	*number = node;
	return true;
}

uint32_t guest_stacks_outer(const struct guest_stacks *stacks, uint32_t number)
{
	return number < stacks->node_count ? stacks->nodes[number].parent : 0;
}

void guest_stacks_text(
	const struct guest_stacks *stacks, uint32_t number, char *buffer, size_t size)
{
	const struct guest_frame *frame;
	const struct guest_text *class, *method, *file;
	char line[16] = "";
	size_t length;

	*buffer = '\0';
	if (!number || number >= stacks->node_count)
		return;
	frame = &stacks->frames[stacks->nodes[number].frame];
	class = &stacks->texts[frame->names[0]];
	method = &stacks->texts[frame->names[1]];
	file = &stacks->texts[frame->names[2]];
	if (frame->line)
		snprintf(line, sizeof(line), ":%" PRIu32, frame->line);
	length = method_text(buffer, size, (struct method_part){class->bytes, class->length},
		(struct method_part){method->bytes, method->length});
	if (file->length)
		snprintf(buffer + length, size - length, " (%s%s)", file->bytes, line);
}
