/*
 * plan.c: see plan.h. The needs of all clauses of a probe are joined first, so that each piece is
 * captured once; then each part gets its place. Plans are compared as bytes, so they are zeroed
 * before they are filled.
 */
#include "kernel/capture/plan.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "kernel/capture/capture_directory.h"
#include "kernel/capture/capture_words.h"
#include "kernel/capture/cpu_time.h"
#include "program/need.h"

/* Needs that are read by way of the thread's address. */
static const uint64_t thread_needs = UINT64_C(1) << D_NEED_THREAD_ADDRESS |
	UINT64_C(1) << D_NEED_PROCESS_STATE | UINT64_C(1) << D_NEED_THREAD_STATE |
	UINT64_C(1) << D_NEED_FILES;

static const uint64_t kernel_memory = UINT64_C(1) << D_NEED_KERNEL_VARIABLES;

static uint32_t aligned(uint32_t bytes)
{
	return (bytes + 7) & ~7u;
}

/* Returns the number of a part like this one, which is added if there is none; -E2BIG if there is
 * no room. */
static int add_part(struct kernel_plan *plan, const struct kernel_part *part)
{
	for (uint32_t i = 0; i < plan->part_count; i++) {
		struct kernel_part *other = &plan->parts[i];

		if (other->kind == part->kind && other->from == part->from &&
			other->base == part->base && other->at == part->at &&
			other->offset == part->offset && other->more == part->more &&
			other->index == part->index && other->index_bits == part->index_bits &&
			other->index_scale == part->index_scale &&
			other->counter == part->counter) {
			if (part->length > other->length)
				other->length = part->length;
			return (int)i;
		}
	}
	if (plan->part_count == KERNEL_PARTS_MAX)
		return -E2BIG;
	plan->parts[plan->part_count] = *part;
	return (int)plan->part_count++;
}

static enum kernel_part_kind part_kind(const struct d_piece *piece)
{
	if (piece->path)
		return piece->path == D_PATH_MOUNT ? KERNEL_PART_MOUNT : KERNEL_PART_PATH;
	return piece->is_string     ? KERNEL_PART_STRING
		: piece->is_counted ? KERNEL_PART_COUNTED
				    : KERNEL_PART_MEMORY;
}

/* Notes which instructions of a clause that is followed read the parts. */
static int add_reads(struct kernel_plan *plan, const struct source_want *want, const int *numbers)
{
	const struct d_demand *demand = want->demand;

	for (size_t i = 0; i < demand->read_count && want->followed; i++) {
		const struct d_piece *piece = &demand->pieces[demand->reads[i].piece];
		bool is_computed = piece->from == D_PIECE_COMPUTED;
		int part = numbers[demand->reads[i].piece];

		if (part < 0)
			continue;
		if (plan->read_count == KERNEL_READS_MAX)
			return -E2BIG;
		plan->reads[plan->read_count++] = (struct kernel_read){.clause = want->clause,
			.instruction = demand->reads[i].instruction,
			.part = (uint32_t)part,
			.address = is_computed ? (uint16_t)piece->at : 0,
			.count = is_computed ? (uint16_t)piece->counter : 0};
	}
	return 0;
}

static bool is_late(const struct kernel_plan *plan, const struct kernel_part *part)
{
	return part->from == D_PIECE_COMPUTED ||
		(part->from == D_PIECE_POINTER && plan->parts[part->base].late);
}

/* Adds the pieces. A piece that follows a pointer in a string, or in a piece that is left out, is
 * left out: the engine then faults where the clause reads it. */
static int add_pieces(struct kernel_plan *plan, const struct source_want *want)
{
	const struct d_demand *demand = want->demand;
	int numbers[D_DEMAND_PIECES_MAX];

	for (size_t i = 0; i < demand->piece_count; i++) {
		const struct d_piece *piece = &demand->pieces[i];
		struct kernel_part part = {.kind = part_kind(piece),
			.from = piece->from,
			.base = piece->base,
			.at = piece->at,
			.offset = piece->offset,
			.more = piece->more,
			.index = piece->index,
			.index_bits = piece->index_bits,
			.index_scale = piece->index_scale,
			.counter = piece->is_counted ? piece->counter + 1 : 0,
			.length = piece->length + (piece->is_string ? 1 : 0)};

		numbers[i] = -1;
		if (piece->path) {
			part.length = KERNEL_DIRECTORY_BYTES;
			plan->has_directories = true;
		}
		if (piece->length >= KERNEL_CAPTURE_MAX)
			return -E2BIG;
		if (!part.length || (piece->from == D_PIECE_COMPUTED && !want->followed))
			continue;
		if (piece->from == D_PIECE_COMPUTED) {
			part.at = want->clause;
			part.counter = piece->is_counted ? KERNEL_COUNT_COMPUTED : 0;
		} else if (part.counter > KERNEL_ARGUMENTS_MAX) {
			continue;
		}
		if (piece->from == D_PIECE_POINTER) {
			int base = numbers[piece->base];
			if (base < 0 || plan->parts[base].kind != KERNEL_PART_MEMORY ||
				piece->at + 8 > plan->parts[base].length)
				continue;
			part.base = (uint32_t)base;
		}
		if ((piece->from == D_PIECE_ARGUMENT && piece->base >= KERNEL_ARGUMENTS_MAX) ||
			part.index > KERNEL_ARGUMENTS_MAX)
			continue;
		numbers[i] = add_part(plan, &part);
		if (numbers[i] < 0)
			return numbers[i];
		if (is_late(plan, &part) && !plan->parts[numbers[i]].late)
			plan->parts[numbers[i]].late = ++plan->late_count;
	}
	return add_reads(plan, want, numbers);
}

static int add_kernel_stack(struct kernel_plan *plan, uint32_t frames)
{
	uint32_t own = plan->is_machine ? KERNEL_PROGRAM_FRAMES : 0;
	const struct kernel_part part = {.kind = KERNEL_PART_KERNEL_STACK,
		.length =
			8 * (frames > KERNEL_FRAMES_MAX - own ? KERNEL_FRAMES_MAX : frames + own)};
	int result = frames ? add_part(plan, &part) : 0;

	return result < 0 ? result : 0;
}

/* Copies the top of the user stack with the registers; frames are found in the copy. */
static int add_user_stack(struct kernel_plan *plan, uint32_t frames)
{
	const struct kernel_part copy = {
		.kind = KERNEL_PART_STACK_COPY, .length = (KERNEL_STACK_PAGES + 1) * KERNEL_PAGE};
	int result = frames ? add_part(plan, &copy) : 0;

	if (frames > plan->user_frames)
		plan->user_frames = frames;
	return result < 0 ? result : 0;
}

static int add_want(struct kernel_plan *plan, const struct source_want *want, uint64_t *arguments)
{
	const struct d_demand *demand = want->demand;
	int result;

	if (!demand) {
		*arguments = UINT64_MAX;
		return 0;
	}
	*arguments |= d_demand_arguments(demand);
	plan->has_registers |= demand->registers || demand->user_frames;
	plan->has_identity |= demand->process;
	plan->has_thread |= (demand->needs & thread_needs) != 0;
	plan->reads_kernel |= plan->has_thread || demand->needs & kernel_memory;
	if (demand->needs & d_need_bit(D_NEED_ERRNO) && plan->is_return)
		*arguments |= UINT64_C(1) << KERNEL_ERRNO_ARGUMENT;
	plan->has_cpu_clock |= (demand->needs & d_need_bit(D_NEED_CPU_TIME)) != 0;
	result = add_pieces(plan, want);
	if (!result)
		result = add_kernel_stack(plan, demand->kernel_frames);
	if (!result)
		result = add_user_stack(plan, demand->user_frames);
	return result;
}

static bool is_readable(const struct kernel_operand *operand)
{
	return operand->kind != KERNEL_OPERAND_UNREADABLE &&
		operand->kind != KERNEL_OPERAND_UNRESOLVED;
}

/* Takes the arguments of the site. recorded: those that the record has; the others are for clauses
 * that the program carries out. */
static int take_arguments(struct kernel_plan *plan, const struct kernel_site *site,
	uint64_t arguments, uint64_t recorded, unsigned *argument)
{
	for (unsigned i = 0; i < KERNEL_ARGUMENTS_MAX; i++) {
		struct kernel_operand *operand = &plan->arguments[i];

		operand->kind = KERNEL_OPERAND_NONE;
		if (!(arguments >> i & 1) || i >= site->argument_count)
			continue;
		*argument = i;
		if (!is_readable(&site->arguments[i]) && arguments != UINT64_MAX)
			return -ENOTSUP;
		if (!is_readable(&site->arguments[i]))
			continue;
		*operand = site->arguments[i];
		if (recorded >> i & 1)
			plan->argument_count = (uint8_t)(i + 1);
		plan->sleeps |= operand->kind == KERNEL_OPERAND_MEMORY;
	}
	return 0;
}

static void lay_out(struct kernel_plan *plan)
{
	uint32_t place = sizeof(struct kernel_head) + 8u * plan->argument_count;

	plan->identity = place;
	place += plan->has_identity ? (uint32_t)sizeof(struct kernel_identity) : 0;
	plan->registers = place;
	place += plan->has_registers ? KERNEL_REGISTERS_BYTES : 0;
	plan->cpu_clock = place;
	place += plan->has_cpu_clock ? (uint32_t)sizeof(struct kernel_clock) : 0;
	plan->thread = place;
	place += plan->has_thread ? 8 : 0;
	plan->late = place;
	place += plan->late_count * (uint32_t)sizeof(struct kernel_late);
	plan->lengths = place;
	place = aligned(place + 4 * plan->part_count);
	for (uint32_t i = 0; i < plan->part_count; i++) {
		struct kernel_part *part = &plan->parts[i];

		plan->sleeps |= part->kind < KERNEL_PART_KERNEL_STACK ||
			part->kind == KERNEL_PART_STACK_COPY || part->kind == KERNEL_PART_WORDS;
		if (part->kind != KERNEL_PART_MEMORY)
			continue;
		part->place = place;
		place = aligned(place + part->length);
	}
	/* The kernel's check of a program does not know that a rounded number is not above the
	 * limit, so there is room for the bytes that rounding adds. */
	plan->begin = plan->limit = place;
	plan->sleeps &= !plan->is_sample && !plan->is_machine;
	for (uint32_t i = 0; i < plan->part_count; i++)
		if (!plan->parts[i].place)
			plan->limit = aligned(plan->limit + plan->parts[i].length + 7);
}

/*
 * Adds the paths of the process's directories, before other parts: the kernel checks the long code
 * for a path once for each length that the parts before it may have.
 */
static void add_directories(struct kernel_plan *plan, const struct source_want *wants, size_t count)
{
	struct kernel_part part = {.length = KERNEL_DIRECTORY_BYTES};
	bool directory = false, root = false;

	for (size_t i = 0; i < count; i++) {
		directory |= wants[i].demand && wants[i].demand->directory;
		root |= wants[i].demand && wants[i].demand->root_directory;
	}
	part.kind = KERNEL_PART_DIRECTORY;
	if (directory)
		add_part(plan, &part);
	part.kind = KERNEL_PART_ROOT;
	if (root)
		add_part(plan, &part);
	plan->has_directories = directory || root;
}

/* Captures the program's arguments with the event: the process may have ended when the event is
 * read. Sources that know their processes in advance read them from /proc instead. */
static void add_words(struct kernel_plan *plan, const struct source_want *wants, size_t count)
{
	const struct kernel_part part = {.kind = KERNEL_PART_WORDS, .length = KERNEL_WORDS_BYTES};

	for (size_t i = 0; i < count; i++)
		plan->has_words |= !wants[i].reduced && wants[i].demand &&
			wants[i].demand->needs & d_need_bit(D_NEED_PROGRAM_ARGUMENTS);
	if (plan->has_words)
		add_part(plan, &part);
}

int kernel_plan_make(struct kernel_plan *plan, const struct kernel_site *site,
	const struct source_want *wants, size_t count, unsigned *argument)
{
	uint64_t recorded = 0, others = 0;
	int result = 0;

	memset(plan, 0, sizeof(*plan));
	plan->pid = site->pid;
	plan->is_sample = plan->has_identity = site->is_sample;
	add_directories(plan, wants, count);
	plan->is_call = site->is_call;
	plan->is_function = site->function;
	plan->is_machine = plan->reads_kernel = site->is_machine;
	if (site->is_machine)
		add_words(plan, wants, count);
	if (site->conditions)
		memcpy(plan->conditions, site->conditions, sizeof(plan->conditions));
	plan->is_return = site->is_call && site->is_return;
	plan->is_guarded = site->semaphore != 0;
	plan->notes = site->notes;
	if (site->notes) {
		plan->arguments[0] = site->arguments[0];
		return 0;
	}
	for (size_t i = 0; i < count && !result; i++) {
		if (wants[i].reduced) {
			others |= wants[i].demand->arguments |
				(plan->is_return ? UINT64_C(1) << KERNEL_ERRNO_ARGUMENT : 0);
			plan->looks_at_task |= wants[i].demand->process;
			plan->reads_kernel |=
				(wants[i].demand->needs & (thread_needs | kernel_memory)) != 0;
			plan->looks_at_clock |=
				(wants[i].demand->needs & d_need_bit(D_NEED_CPU_TIME)) != 0;
			plan->sends_stacks |= wants[i].demand->user_frames != 0;
			continue;
		}
		plan->ships = true;
		result = add_want(plan, &wants[i], &recorded);
	}
	if (!result)
		result = take_arguments(plan, site, recorded | others, recorded, argument);
	if (result)
		return result;
	lay_out(plan);
	return plan->limit > KERNEL_CAPTURE_MAX ? -E2BIG : 0;
}

int kernel_plan_refuse(const char *name, int reason, struct error *error)
{
	if (reason == -E2BIG)
		return error_set(error, E2BIG,
			"%s: the clauses read more than %d bytes of memory at one event, which is "
			"the most that the kernel source captures",
			name, KERNEL_CAPTURE_MAX);
	return error_set(error, ENOTSUP,
		"%s: a clause reads memory at an address that is not computed from the probe's "
		"arguments, or from variables that programs in the kernel can follow, so it cannot "
		"be read when the probe fires: read it at a probe whose arguments lead to it, and "
		"keep the result (self->path = fds[arg0].fi_pathname)",
		name);
}
