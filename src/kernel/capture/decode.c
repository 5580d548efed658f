/*
 * decode.c: see decode.h. Arguments, registers and memory are used where they lie in the ring, so a
 * batch is valid only until the records are released. Lengths in a record are checked against the
 * plan before they are used; a part that does not fit is left out.
 */
#include "kernel/capture/decode.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/capture/capture_directory.h"
#include "kernel/capture/capture_words.h"
#include "kernel/capture/cpu_time.h"
#include "usdt/elf/function.h"
#include "usdt/unwind/unwind.h"

enum { FRAMES_MAX = 1024 };

static int32_t part_length(
	const struct kernel_plan *plan, const struct kernel_record *record, uint32_t part)
{
	int32_t length;

	memcpy(&length, record->bytes + plan->lengths + 4 * part, sizeof(length));
	return length;
}

static const struct kernel_late *late_part(
	const struct kernel_plan *plan, const struct kernel_record *record, uint32_t part)
{
	return (const struct kernel_late *)(const void *)(record->bytes + plan->late) +
		plan->parts[part].late - 1;
}

/* Returns the part's bytes in the record, or NULL if the record does not have the part. *next is
 * the place of the next part of varying length. */
static const unsigned char *part_bytes(const struct kernel_plan *plan,
	const struct kernel_record *record, uint32_t number, uint32_t *next, uint32_t *length)
{
	const struct kernel_part *part = &plan->parts[number];
	int32_t read = part_length(plan, record, number);
	uint32_t place = part->place ? part->place : *next;

	*length = read > 0 ? (uint32_t)read : 0;
	if (*length && part->late && !part->place)
		place = (uint32_t)late_part(plan, record, number)->place;
	if (!*length || *length > part->length || place > record->size ||
		*length > record->size - place)
		return NULL;
	if (!part->place && !part->late)
		*next += (*length + 7) & ~7u;
	return record->bytes + place;
}

/* Returns what the part's index adds to its address; 0 if it has no index. */
static uint64_t part_index(const struct kernel_plan *plan, const struct kernel_record *record,
	const struct kernel_part *part)
{
	unsigned bits = (unsigned)(part->index_bits < 0 ? -part->index_bits : part->index_bits);
	uint64_t value = 0;

	if (!part->index || part->index > plan->argument_count)
		return 0;
	memcpy(&value, record->bytes + sizeof(struct kernel_head) + 8 * (part->index - 1), 8);
	if (bits && bits < 64)
		value <<= 64 - bits;
	if (bits && bits < 64)
		value = part->index_bits < 0 ? (uint64_t)((int64_t)value >> (64 - bits))
					     : value >> (64 - bits);
	return value * (uint64_t)part->index_scale;
}

static uint64_t part_address(
	const struct kernel_plan *plan, const struct kernel_record *record, uint32_t number)
{
	const struct kernel_part *part = &plan->parts[number];
	uint64_t base = 0;

	if (part->from == D_PIECE_ARGUMENT && part->base < plan->argument_count)
		memcpy(&base, record->bytes + sizeof(struct kernel_head) + 8 * part->base, 8);
	else if (part->from == D_PIECE_THREAD && plan->has_thread)
		memcpy(&base, record->bytes + plan->thread, 8);
	else if (part->from == D_PIECE_COMPUTED)
		base = late_part(plan, record, number)->address;
	else if (part->from == D_PIECE_POINTER)
		memcpy(&base, record->bytes + plan->parts[part->base].place + part->at, 8);
	return base + (uint64_t)part->offset + part_index(plan, record, part);
}

/* Finds the frames of the user stack in its copy, which begins at a page's beginning. */
static void unwind_stack(struct kernel_decoder *decoder, const struct kernel_plan *plan,
	const struct kernel_record *record, struct usdt_unwind *unwind, const unsigned char *copy,
	uint32_t length, struct event_stack *stack)
{
	const uint64_t *registers =
		(const uint64_t *)(const void *)(record->bytes + plan->registers);
	const struct usdt_unwind_thread thread = {.machine = EM_X86_64,
		.register_count = KERNEL_REGISTERS_BYTES / sizeof(*registers),
		.registers = registers,
		.stack_address =
			registers[KERNEL_RSP / sizeof(*registers)] & ~(uint64_t)(KERNEL_PAGE - 1),
		.stack_size = length,
		.stack = copy};
	size_t capacity = plan->user_frames < FRAMES_MAX ? plan->user_frames : FRAMES_MAX;
	uint64_t *frames = arena_get(&decoder->frames, capacity * sizeof(*frames));

	if (!frames || !unwind)
		return;
	stack->frames = frames;
	stack->count = (uint32_t)usdt_unwind(unwind, &thread, frames, capacity).count;
}

/* Returns whether the function is one by which the kernel runs a program at a tracepoint. */
static bool runs_programs(const char *function)
{
	static const char *const prefixes[] = {
		"bpf_prog_", "bpf_trace_run", "__bpf_trace_", "__traceiter_"};
	bool result = false;

	for (unsigned i = 0; i < sizeof(prefixes) / sizeof(*prefixes) && function; i++)
		result |= !strncmp(function, prefixes[i], strlen(prefixes[i]));
	return result;
}

/* Returns the kernel's stack without the innermost frames, which only run the program at the
 * tracepoint. */
static struct event_stack kernel_stack(
	const struct kernel_decoder *decoder, const uint64_t *frames, uint32_t count)
{
	uint32_t begin = 0;
	uint64_t ignored;

	for (uint32_t i = 0; decoder->functions && i < count && i < KERNEL_PROGRAM_FRAMES; i++)
		if (runs_programs(usdt_functions_find(decoder->functions, frames[i] - 1, &ignored)))
			begin = i + 1;
	return (struct event_stack){frames + begin, count - begin};
}

static void decode_path(struct kernel_decoder *decoder, const struct kernel_plan *plan,
	const struct kernel_record *record, uint32_t number, uint32_t *next,
	struct event_capture *capture)
{
	enum kernel_part_kind kind = plan->parts[number].kind;
	uint32_t length;
	const unsigned char *bytes = part_bytes(plan, record, number, next, &length);
	const char *path = bytes ? kernel_directory_path(&decoder->frames, bytes, length) : NULL;

	if (!path)
		return;
	if (kind == KERNEL_PART_DIRECTORY) {
		capture->directory = path;
	} else if (kind == KERNEL_PART_ROOT) {
		capture->root_directory = path;
	} else {
		decoder->pieces[decoder->piece_count++] =
			(struct event_piece){.address = part_address(plan, record, number),
				.bytes = path,
				.length = (uint32_t)strlen(path) + 1,
				.path = kind == KERNEL_PART_MOUNT ? D_PATH_MOUNT : D_PATH_FILE};
		capture->piece_count++;
	}
}

/* Returns the size of the longest string that programs read, with its NUL. */
static uint32_t string_limit(
	const struct kernel_plan *plan, const struct kernel_record *record, uint32_t number)
{
	const struct kernel_part *part = &plan->parts[number];
	uint64_t count = 0;

	if (!part->counter)
		return part->length;
	if (part->counter == KERNEL_COUNT_COMPUTED)
		count = late_part(plan, record, number)->count;
	else if (part->counter <= plan->argument_count)
		memcpy(&count, record->bytes + sizeof(struct kernel_head) + 8 * (part->counter - 1),
			8);
	if (part->counter != KERNEL_COUNT_COMPUTED)
		count += (uint64_t)part->more;
	return count < part->length ? (uint32_t)count + 1 : part->length;
}

/* Pieces are numbered while the array grows; kernel_decode_end() turns the numbers into pointers.
 */
static int decode_parts(struct kernel_decoder *decoder, const struct kernel_plan *plan,
	const struct kernel_record *record, struct usdt_unwind *unwind,
	struct event_capture *capture)
{
	uint32_t next = plan->begin;

	*capture = (struct event_capture){0};
	if (plan->is_return && plan->argument_count > KERNEL_ERRNO_ARGUMENT)
		memcpy(&capture->error,
			record->bytes + sizeof(struct kernel_head) + 8 * KERNEL_ERRNO_ARGUMENT,
			sizeof(capture->error));
	if (plan->has_registers) {
		capture->registers =
			(const uint64_t *)(const void *)(record->bytes + plan->registers);
		capture->register_count = KERNEL_REGISTERS_BYTES / sizeof(*capture->registers);
	}
	if (plan->has_thread)
		memcpy(&capture->thread, record->bytes + plan->thread, sizeof(capture->thread));
	if (array_room(&decoder->pieces, &decoder->piece_capacity,
		    decoder->piece_count + plan->part_count, sizeof(*decoder->pieces)))
		return -ENOMEM;
	for (uint32_t i = 0; i < plan->part_count; i++)
		if (plan->parts[i].kind >= KERNEL_PART_DIRECTORY)
			decode_path(decoder, plan, record, i, &next, capture);
	for (uint32_t i = 0; i < plan->part_count; i++) {
		enum kernel_part_kind kind = plan->parts[i].kind;
		uint32_t length;
		const unsigned char *bytes = kind < KERNEL_PART_DIRECTORY
			? part_bytes(plan, record, i, &next, &length)
			: NULL;

		if (!bytes)
			continue;
		/* the kernel ends what it cuts off with a NUL that is not in the process */
		if (kind == KERNEL_PART_STRING && length == string_limit(plan, record, i))
			length--;
		if (kind == KERNEL_PART_KERNEL_STACK)
			capture->kernel = kernel_stack(
				decoder, (const uint64_t *)(const void *)bytes, length / 8);
		else if (kind == KERNEL_PART_WORDS)
			capture->program_arguments =
				kernel_words_join(&decoder->frames, bytes, length);
		else if (kind == KERNEL_PART_STACK_COPY)
			unwind_stack(decoder, plan, record, unwind, bytes, length, &capture->user);
		else {
			decoder->pieces[decoder->piece_count++] =
				(struct event_piece){.address = part_address(plan, record, i),
					.bytes = (const char *)bytes,
					.length = length};
			capture->piece_count++;
		}
	}
	return 0;
}

const struct kernel_identity *kernel_decode_identity(
	const struct kernel_plan *plan, const struct kernel_record *record)
{
	return plan->has_identity
		? (const struct kernel_identity *)(const void *)(record->bytes + plan->identity)
		: NULL;
}

static int decode_fault(struct kernel_decoder *decoder, const struct kernel_record *record,
	struct event_capture *capture)
{
	struct event_fault *fault = arena_get(&decoder->frames, sizeof(*fault));
	struct kernel_fault is = {0};

	*capture = (struct event_capture){.fault = fault};
	if (!fault)
		return -ENOMEM;
	memcpy(&is, record->bytes, record->size < sizeof(is) ? record->size : sizeof(is));
	*fault = (struct event_fault){.clause = is.clause,
		.code = (enum d_fault)is.code,
		.value = is.value,
		.offset = (int64_t)is.offset};
	return 0;
}

/* Returns the number of arguments that scripts see. */
static uint8_t count_arguments(const struct kernel_plan *plan)
{
	return plan->is_return && plan->argument_count > KERNEL_ERRNO_ARGUMENT
		? KERNEL_ERRNO_ARGUMENT
		: plan->argument_count;
}

void kernel_decode_begin(struct kernel_decoder *decoder)
{
	decoder->event_count = decoder->piece_count = 0;
	arena_free(&decoder->frames);
	decoder->frames = (struct arena){0};
}

/* Adds an event with the data of its record's head; it counts once event_count is raised. */
static int add_event(struct kernel_decoder *decoder, const struct kernel_record *record,
	uint32_t probe, uint32_t process, struct kernel_head *head)
{
	if (array_room(&decoder->events, &decoder->event_capacity, decoder->event_count,
		    sizeof(*decoder->events)) ||
		array_room(&decoder->captures, &decoder->capture_capacity, decoder->event_count,
			sizeof(*decoder->captures)))
		return -ENOMEM;
	memcpy(head, record->bytes, sizeof(*head));
	decoder->events[decoder->event_count] = (struct event){.time = head->time,
		.arguments = (const uint64_t *)(const void *)(record->bytes + sizeof(*head)),
		.probe = probe,
		.tid = head->tid,
		.cpu = head->cpu,
		.process = process};
	return 0;
}

int kernel_decode_update(struct kernel_decoder *decoder, const struct kernel_record *record,
	uint32_t probe, uint32_t process, const struct event_update *update)
{
	struct kernel_head head;

	if (!update || add_event(decoder, record, probe, process, &head))
		return -ENOMEM;
	decoder->captures[decoder->event_count++] = (struct event_capture){.update = update};
	return 0;
}

int kernel_decode_end_of_thread(struct kernel_decoder *decoder, const struct kernel_record *record)
{
	uint64_t *pid = arena_get(&decoder->frames, sizeof(*pid));
	struct kernel_head head;

	if (!pid || add_event(decoder, record, EVENT_THREAD_END, 0, &head))
		return -ENOMEM;
	*pid = head.pid;
	decoder->events[decoder->event_count].arguments = pid;
	decoder->events[decoder->event_count].argument_count = 1;
	decoder->captures[decoder->event_count++] = (struct event_capture){0};
	return 0;
}

int kernel_decode_add(struct kernel_decoder *decoder, const struct kernel_record *record,
	const struct kernel_plan *plan, uint32_t probe, uint32_t process,
	struct usdt_unwind *unwind)
{
	struct kernel_head head;

	if (add_event(decoder, record, probe, process, &head))
		return -ENOMEM;
	if (head.kind == KERNEL_RECORD_EVENT)
		decoder->events[decoder->event_count].argument_count = count_arguments(plan);
	if (head.kind == KERNEL_RECORD_FAULT
			? decode_fault(decoder, record, &decoder->captures[decoder->event_count])
			: decode_parts(decoder, plan, record, unwind,
				  &decoder->captures[decoder->event_count]))
		return -ENOMEM;
	if (plan->has_cpu_clock && head.kind == KERNEL_RECORD_EVENT)
		decoder->events[decoder->event_count].cpu_time =
			kernel_cpu_time_of(decoder->times, head.tid,
				(const struct kernel_clock *)(const void *)(record->bytes +
					plan->cpu_clock));
	decoder->event_count++;
	return 0;
}

void kernel_decode_end(struct kernel_decoder *decoder, struct event_batch *batch)
{
	size_t piece = 0;

	for (size_t i = 0; i < decoder->event_count; i++) {
		decoder->captures[i].pieces = decoder->pieces + piece;
		piece += decoder->captures[i].piece_count;
	}
	batch->events = decoder->events;
	batch->captures = decoder->captures;
	batch->event_count = decoder->event_count;
}

void kernel_decode_free(struct kernel_decoder *decoder)
{
	arena_free(&decoder->frames);
	free(decoder->events);
	free(decoder->captures);
	free(decoder->pieces);
	*decoder = (struct kernel_decoder){0};
}
