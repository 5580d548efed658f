/* guest_stacks.c: see guest_stacks.h. */
#include "engine/store/guest_stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDEX_START = 64, ARRAY_START = 64 };

static inline uint32_t mix(uint32_t hash, uint32_t word)
{
	uint64_t wide = (((uint64_t)hash << 32) ^ word) * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(wide >> 32) ^ (uint32_t)wide;
}

static uint32_t node_hash(const struct guest_stacks *stacks, uint32_t number)
{
	return mix(stacks->nodes[number].parent, stacks->nodes[number].frame);
}

static uint32_t hash_of_frame(const struct guest_frame *frame)
{
	return mix(mix(mix(frame->names[0], frame->names[1]), frame->names[2]), frame->line);
}

static uint32_t frame_hash(const struct guest_stacks *stacks, uint32_t number)
{
	return hash_of_frame(&stacks->frames[number]);
}

static uint32_t text_hash_of(const struct guest_stacks *stacks, uint32_t number)
{
	return stacks->texts[number].hash;
}

void guest_stacks_free(struct guest_stacks *stacks)
{
	for (size_t i = 1; i < stacks->text_count; i++)
		free(stacks->texts[i].bytes);
	free(stacks->nodes);
	free(stacks->frames);
	free(stacks->texts);
	free(stacks->node_index.slots);
	free(stacks->frame_index.slots);
	free(stacks->text_index.slots);
	*stacks = (struct guest_stacks){0};
}

/* Makes room in the index for one more than count numbers, at most two of three slots being used.
 */
static bool index_room(const struct guest_stacks *stacks, struct guest_index *index, size_t count,
	uint32_t (*hash_of)(const struct guest_stacks *stacks, uint32_t number))
{
	uint32_t size = index->mask ? (index->mask + 1) * 2 : INDEX_START;
	uint32_t *slots;

	if (index->mask && (count + 1) * 3 <= ((size_t)index->mask + 1) * 2)
		return true;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return false;
	for (uint32_t number = 1; number < count; number++) {
		uint32_t at = hash_of(stacks, number) & (size - 1);

		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = number;
	}
	free(index->slots);
	*index = (struct guest_index){slots, size - 1};
	return true;
}

/* Makes room for one more entry of an array, whose first entry is not used. */
static bool array_more(void *array, size_t *count, size_t *capacity, size_t size, size_t most)
{
	size_t wanted = *capacity ? *capacity * 2 : ARRAY_START;
	void *memory;

	if (!*count)
		*count = 1;
	if (*count >= most)
		return false;
	if (*count < *capacity)
		return true;
	memcpy(&memory, array, sizeof(memory));
	memory = realloc(memory, wanted * size);
	if (!memory)
		return false;
	memset((char *)memory + *capacity * size, 0, (wanted - *capacity) * size);
	memcpy(array, &memory, sizeof(memory));
	*capacity = wanted;
	return true;
}

/* The number of a text; 0: there is no room for it. */
static uint32_t take_text(struct guest_stacks *stacks, const char *bytes, uint32_t length)
{
	uint32_t hash = text_hash(bytes, length), at;
	struct guest_index *index = &stacks->text_index;
	struct guest_text *text;

	if (!array_more(&stacks->texts, &stacks->text_count, &stacks->text_capacity,
		    sizeof(*stacks->texts), GUEST_STACKS_TEXTS_MAX) ||
		!index_room(stacks, index, stacks->text_count, text_hash_of))
		return 0;
	for (at = hash & index->mask; index->slots[at]; at = (at + 1) & index->mask) {
		text = &stacks->texts[index->slots[at]];
		if (text->hash == hash && text->length == length &&
			!memcmp(text->bytes, bytes, length))
			return index->slots[at];
	}
	text = &stacks->texts[stacks->text_count];
	if (stacks->text_bytes + length > GUEST_STACKS_TEXT_BYTES_MAX ||
		!(text->bytes = malloc((size_t)length + 1)))
		return 0;
	memcpy(text->bytes, bytes, length);
	text->bytes[length] = '\0';
	text->length = length;
	text->hash = hash;
	stacks->text_bytes += length;
	index->slots[at] = (uint32_t)stacks->text_count;
	return (uint32_t)stacks->text_count++;
}

static uint32_t take_frame(struct guest_stacks *stacks, const struct guest_frame *wanted)
{
	struct guest_index *index = &stacks->frame_index;
	uint32_t at;

	if (!array_more(&stacks->frames, &stacks->frame_count, &stacks->frame_capacity,
		    sizeof(*stacks->frames), GUEST_STACKS_FRAMES_MAX) ||
		!index_room(stacks, index, stacks->frame_count, frame_hash))
		return 0;
	for (at = hash_of_frame(wanted) & index->mask; index->slots[at];
		at = (at + 1) & index->mask)
		if (!memcmp(&stacks->frames[index->slots[at]], wanted, sizeof(*wanted)))
			return index->slots[at];
	stacks->frames[stacks->frame_count] = *wanted;
	index->slots[at] = (uint32_t)stacks->frame_count;
	return (uint32_t)stacks->frame_count++;
}

static uint32_t take_node(struct guest_stacks *stacks, uint32_t parent, uint32_t frame)
{
	struct guest_index *index = &stacks->node_index;
	uint32_t at;

	if (!array_more(&stacks->nodes, &stacks->node_count, &stacks->node_capacity,
		    sizeof(*stacks->nodes), GUEST_STACKS_NODES_MAX) ||
		!index_room(stacks, index, stacks->node_count, node_hash))
		return 0;
	for (at = mix(parent, frame) & index->mask; index->slots[at]; at = (at + 1) & index->mask) {
		const struct guest_node *node = &stacks->nodes[index->slots[at]];

		if (node->parent == parent && node->frame == frame)
			return index->slots[at];
	}
	stacks->nodes[stacks->node_count] = (struct guest_node){parent, frame};
	index->slots[at] = (uint32_t)stacks->node_count;
	return (uint32_t)stacks->node_count++;
}

/* The frame that stands for those that the VM has cut. */
static uint32_t take_more(struct guest_stacks *stacks)
{
	static const char text[] = "(more frames)";
	struct guest_frame frame = {.names[0] = take_text(stacks, "", 0),
		.names[1] = take_text(stacks, text, sizeof(text) - 1)};

	frame.names[2] = frame.names[0];
	return frame.names[0] && frame.names[1] ? take_frame(stacks, &frame) : 0;
}

bool guest_stacks_take(struct guest_stacks *stacks, const struct event_batch *batch,
	const struct event_guest_stack *stack, uint32_t most, uint32_t *number)
{
	uint32_t node = 0, frame, offset;

	*number = 0;
	if (stack->cut && most > stack->count) {
		frame = take_more(stacks);
		node = frame ? take_node(stacks, 0, frame) : 0;
		if (!node)
			return false;
	}
	for (uint32_t i = stack->count < most ? stack->count : most; i-- > 0;) {
		const struct event_frame *given = &stack->frames[i];
		struct guest_frame wanted = {.line = given->line};

		for (unsigned j = 0; j < 3; j++) {
			const struct text *text = event_text(batch, given->names[j], &offset);

			wanted.names[j] =
				take_text(stacks, text ? text->bytes : "", text ? text->length : 0);
			if (!wanted.names[j])
				return false;
		}
		frame = take_frame(stacks, &wanted);
		node = frame ? take_node(stacks, node, frame) : 0;
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

	*buffer = '\0';
	if (!number || number >= stacks->node_count)
		return;
	frame = &stacks->frames[stacks->nodes[number].frame];
	class = &stacks->texts[frame->names[0]];
	method = &stacks->texts[frame->names[1]];
	file = &stacks->texts[frame->names[2]];
	if (frame->line)
		snprintf(line, sizeof(line), ":%" PRIu32, frame->line);
	snprintf(buffer, size, "%s%s%s%s%s%s%s", class->bytes, class->length ? "#" : "",
		method->bytes, file->length ? " (" : "", file->bytes, file->length ? line : "",
		file->length ? ")" : "");
}
