/*
 * unwind.c: see unwind.h.
 *
 * Nearly all rules are of one simple form: the CFA is a register plus an offset, and the
 * registers that a function must preserve are in memory at offsets from the CFA. These are
 * kept in a cache by pc. All other rules are worked out each time (step_by_rule()): they
 * belong to signal trampolines, procedure linkage tables and functions that align their stack.
 */
#include "usdt/unwind/unwind.h"

#include <elf.h>
#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "usdt/process/file_store.h"
#include "usdt/process/mapped_code.h"
#include "usdt/unwind/frame_expression.h"
#include "usdt/unwind/frame_rule.h"
#include "usdt/unwind/frame_table.h"

enum {
	PRESERVED_MAX = 12,
	CACHE_MIN = 256,
	CACHE_MAX = 16384, /* entries, of 64 bytes */
	CACHE_PROBES = 4,
	TABLES_MAX = 256 << 20, /* bytes of unwind information of all files together */
	NOT_SAVED = INT32_MIN,
	NO_REGISTER = 255
};

/* Registers have DWARF's numbers, except where the order of pt_regs is stated. */
struct machine {
	uint16_t machine;
	uint8_t stack_pointer, frame_pointer, pc;
	uint8_t preserved_count;
	uint8_t preserved[PRESERVED_MAX]; /* with the return address */
	uint8_t order_count;
	uint8_t order[40]; /* pt_regs: the number of each register */
	/* pt_regs: the code segment, and its value for code of this machine; mode 0: there is none
	 */
	uint8_t mode_register, mode;
};

static const struct machine machines[] = {
	{.machine = EM_X86_64,
		.stack_pointer = 7,
		.frame_pointer = 6,
		.pc = 16,
		.preserved_count = 7,
		.preserved = {16, 3, 6, 12, 13, 14, 15},
		.order_count = 21,
		.order = {15, 14, 13, 12, 6, 3, 11, 10, 9, 8, 0, 2, 1, 4, 5, NO_REGISTER, 16,
			NO_REGISTER, NO_REGISTER, 7, NO_REGISTER},
		.mode_register = 17,
		.mode = 0x33},
};

enum cached_kind {
	CACHED_NONE,          /* the entry is free */
	CACHED_SAVED,         /* saved[] says where the registers are */
	CACHED_OUTERMOST,     /* there is no caller */
	CACHED_FRAME_POINTER, /* there is no unwind information */
	CACHED_RULE           /* the rule must be worked out */
};

/* How the frames at a pc lie on the stack; one cache line. */
struct cached {
	uint64_t pc;
	uint8_t kind, cfa_register;
	int32_t cfa_offset;
	int32_t saved[PRESERVED_MAX]; /* offsets from the CFA, by place in machine.preserved */
};

/* What is known of a file. */
struct frame_object {
	size_t segment_count;
	struct mapped_segment *segments;
	struct frame_table table;
};

struct usdt_unwind_files {
	struct file_store store;
	struct frame_object *vdso;
	size_t table_bytes;
};

struct usdt_unwind {
	struct mapped_code map;
	struct usdt_unwind_files *files, *own; /* own: if the caller has none; else NULL */
	const struct machine *machine;         /* of the last thread */
	uint64_t begun;                        /* CLOCK_MONOTONIC */
	uint64_t generation;                   /* of the map, when the cache was last cleared */
	size_t cache_size, cache_used;
	struct cached *cache;
};

/* A frame and what it takes to find its caller's. */
struct walk {
	struct usdt_unwind *unwind;
	const struct machine *machine;
	struct frame_memory memory;
	struct frame_registers registers;
	uint64_t outside; /* registers that are unknown because they lie outside the copy */
	uint64_t pc;
	bool is_exact; /* the pc is the next instruction, not one after a call */
};

/* ---- the files ---- */

static bool is_known_machine(Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
		header.e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == header.e_machine)
			return true;
	return false;
}

static void read_elf(struct usdt_unwind_files *files, Elf *elf, struct frame_object *object)
{
	if (!elf)
		return;
	if (is_known_machine(elf) && files->table_bytes < TABLES_MAX) {
		object->segments = mapped_segments_read(elf, &object->segment_count);
		frame_table_read(elf, &object->table);
		for (size_t i = 0; i < object->table.section_count; i++)
			files->table_bytes += object->table.sections[i].size;
	}
	elf_end(elf);
}

static void free_object(void *content)
{
	struct frame_object *object = content;

	if (!object)
		return;
	frame_table_free(&object->table);
	free(object->segments);
	free(object);
}

static void *read_file(void *context, int file, const char *path)
{
	struct frame_object *object = calloc(1, sizeof(*object));

	(void)path;
	elf_version(EV_CURRENT);
	if (object)
		read_elf(context, elf_begin(file, ELF_C_READ, NULL), object);
	return object;
}

struct usdt_unwind_files *usdt_unwind_files_new(const struct heard_code *heard)
{
	struct usdt_unwind_files *files = calloc(1, sizeof(*files));

	if (files) {
		file_store_begin(&files->store,
			&(struct file_store_owner){
				.context = files, .read = read_file, .free = free_object});
		files->store.heard = heard;
	}
	return files;
}

void usdt_unwind_files_free(struct usdt_unwind_files *files)
{
	if (!files)
		return;
	file_store_end(&files->store);
	free_object(files->vdso);
	free(files);
}

const struct file_store *usdt_unwind_files_store(const struct usdt_unwind_files *files)
{
	return &files->store;
}

/*
 * All processes of a kernel have the same vdso, so vmtap's own is read: it can be read when the
 * process has ended, and the process cannot have changed it.
 */
static struct frame_object *read_vdso(struct usdt_unwind_files *files)
{
	struct frame_object *object = calloc(1, sizeof(*object));

	if (object)
		read_elf(files, mapped_vdso_open(), object);
	return object;
}

/* What is known of an area's file, which is read if it was not yet; NULL: nothing. */
static struct frame_object *object_of(struct usdt_unwind *unwind, const struct mapped_area *area)
{
	struct usdt_unwind_files *files = unwind->files;

	elf_version(EV_CURRENT);
	if (area->file == MAPPED_VDSO) {
		if (!files->vdso)
			files->vdso = read_vdso(files);
		return files->vdso;
	}
	if (area->file >= unwind->map.file_count || !unwind->map.files[area->file].stored)
		return NULL;
	return file_store_content(&files->store, unwind->map.files[area->file].stored);
}

/* The rule for a pc, worked out from its file. false: there is none. */
static bool find_rule(struct usdt_unwind *unwind, uint64_t pc, struct frame_rule *rule)
{
	const struct mapped_area *area = mapped_code_find(&unwind->map, pc);
	struct frame_object *object = area && area->is_executable ? object_of(unwind, area) : NULL;
	struct frame_description description;
	uint64_t address;

	return object &&
		mapped_segments_address(object->segments, object->segment_count,
			pc - area->begin + area->offset, &address) &&
		frame_table_find(&object->table, address, &description) &&
		frame_rule_find(&description, address, rule);
}

/* ---- the cache ---- */

static bool fits(int64_t value)
{
	return value > NOT_SAVED && value <= INT32_MAX;
}

/* false: the rule is not of the simple form. */
static bool simplify(
	const struct machine *machine, const struct frame_rule *rule, struct cached *cached)
{
	const struct frame_place *stack = &rule->places[machine->stack_pointer];

	if (rule->is_signal || rule->return_register != machine->pc)
		return false;
	if (rule->places[machine->pc].kind == FRAME_UNDEFINED) {
		cached->kind = CACHED_OUTERMOST;
		return true;
	}
	if (rule->is_expression || rule->cfa_register >= FRAME_REGISTERS ||
		!fits(rule->cfa_offset) ||
		(stack->kind != FRAME_SAME && (stack->kind != FRAME_IS_OFFSET || stack->value)) ||
		rule->places[machine->pc].kind != FRAME_AT_OFFSET)
		return false;
	cached->kind = CACHED_SAVED;
	cached->cfa_register = (uint8_t)rule->cfa_register;
	cached->cfa_offset = (int32_t)rule->cfa_offset;
	for (unsigned i = 0; i < machine->preserved_count; i++) {
		const struct frame_place *place = &rule->places[machine->preserved[i]];
		cached->saved[i] = NOT_SAVED;
		if (place->kind == FRAME_SAME)
			continue;
		if (place->kind != FRAME_AT_OFFSET || !fits(place->value))
			return false;
		cached->saved[i] = (int32_t)place->value;
	}
	return true;
}

/*
 * Returns whether this may be remembered. Where no file is mapped one may be soon, and a JIT
 * compiler's code has too many addresses.
 */
static bool work_out(struct usdt_unwind *unwind, const struct machine *machine, uint64_t pc,
	struct cached *cached)
{
	const struct mapped_area *area;
	struct frame_rule rule;

	cached->pc = pc;
	if (!find_rule(unwind, pc, &rule))
		cached->kind = CACHED_FRAME_POINTER;
	else if (!simplify(machine, &rule, cached))
		cached->kind = CACHED_RULE;
	area = mapped_code_known(&unwind->map, pc);
	return area && area->file != MAPPED_ANONYMOUS;
}

static struct cached *cache_slot(const struct usdt_unwind *unwind, uint64_t pc, size_t probe)
{
	uint64_t hash = pc * 0x9e3779b97f4a7c15;

	return &unwind->cache[((hash >> 40) + probe) & (unwind->cache_size - 1)];
}

/* The place for a new entry: a free one, or that of another pc. */
static struct cached *cache_place(struct usdt_unwind *unwind, uint64_t pc)
{
	for (size_t i = 0; i < CACHE_PROBES; i++) {
		struct cached *cached = cache_slot(unwind, pc, i);
		if (cached->kind == CACHED_NONE) {
			unwind->cache_used++;
			return cached;
		}
	}
	return cache_slot(unwind, pc, 0);
}

/* Without memory the cache stays as it is. */
static void grow_cache(struct usdt_unwind *unwind)
{
	size_t old_size = unwind->cache_size, size = old_size ? old_size * 2 : CACHE_MIN;
	struct cached *old = unwind->cache, *grown = calloc(size, sizeof(*grown));

	if (!grown)
		return;
	unwind->cache = grown;
	unwind->cache_size = size;
	unwind->cache_used = 0;
	for (size_t i = 0; i < old_size; i++)
		if (old[i].kind != CACHED_NONE)
			*cache_place(unwind, old[i].pc) = old[i];
	free(old);
}

static void clear_cache(struct usdt_unwind *unwind)
{
	if (unwind->cache)
		memset(unwind->cache, 0, unwind->cache_size * sizeof(*unwind->cache));
	unwind->cache_used = 0;
	unwind->generation = unwind->map.generation;
}

/* New mappings may have other code at the same addresses. */
static void follow_map(struct usdt_unwind *unwind)
{
	if (unwind->generation != unwind->map.generation)
		clear_cache(unwind);
}

/* How the frames at a pc lie on the stack; spare is used if there is no cache. */
static const struct cached *look_up(struct usdt_unwind *unwind, const struct machine *machine,
	uint64_t pc, struct cached *spare)
{
	struct cached *place;
	bool is_kept;

	follow_map(unwind);
	for (size_t i = 0; unwind->cache && i < CACHE_PROBES; i++) {
		struct cached *cached = cache_slot(unwind, pc, i);
		if (cached->pc == pc && cached->kind != CACHED_NONE)
			return cached;
	}
	memset(spare, 0, sizeof(*spare));
	is_kept = work_out(unwind, machine, pc, spare);
	follow_map(unwind);
	if (unwind->cache_used >= unwind->cache_size / 2 && unwind->cache_size < CACHE_MAX)
		grow_cache(unwind);
	if (!is_kept || !unwind->cache)
		return spare;
	place = cache_place(unwind, pc);
	*place = *spare;
	return place;
}

/* ---- from a frame to its caller's ---- */

enum step {
	STEP_CALLER,    /* the walk is at the caller's frame */
	STEP_OUTERMOST, /* the other ones are ends, see enum usdt_unwind_end */
	STEP_NO_INFORMATION,
	STEP_CUT,
	STEP_BAD
};

static bool is_known(const struct walk *walk, uint64_t number)
{
	return number < FRAME_REGISTERS && (walk->registers.known >> number & 1);
}

static void set_register(struct walk *walk, unsigned number, uint64_t value)
{
	walk->registers.values[number] = value;
	walk->registers.known |= 1ULL << number;
	walk->outside &= ~(1ULL << number);
}

static void lose_register(struct walk *walk, unsigned number, enum frame_result reason)
{
	walk->registers.known &= ~(1ULL << number);
	if (reason == FRAME_OUTSIDE)
		walk->outside |= 1ULL << number;
}

static enum step step_of(enum frame_result result)
{
	return result == FRAME_GOOD ? STEP_CALLER : result == FRAME_OUTSIDE ? STEP_CUT : STEP_BAD;
}

/* Continues with the return address that the walk's registers now contain. */
static enum step arrive(struct walk *walk, unsigned return_register, bool is_exact)
{
	if (!is_known(walk, return_register))
		return walk->outside >> return_register & 1 ? STEP_CUT : STEP_BAD;
	walk->pc = walk->registers.values[return_register];
	walk->is_exact = is_exact;
	set_register(walk, walk->machine->pc, walk->pc);
	return walk->pc ? STEP_CALLER : STEP_OUTERMOST;
}

/* The value of the register from which the CFA is counted. */
static enum step cfa_base(const struct walk *walk, uint64_t number, uint64_t *value)
{
	if (!is_known(walk, number))
		return number < FRAME_REGISTERS && (walk->outside >> number & 1)
			? STEP_CUT
			: STEP_NO_INFORMATION;
	*value = walk->registers.values[number];
	return STEP_CALLER;
}

/*
 * Restores a register that was saved at an address. Below the stack pointer it has already been
 * restored: at the end of a function compilers do not always say so.
 */
static void restore(struct walk *walk, unsigned number, uint64_t address, uint64_t stack)
{
	uint64_t value;

	if (frame_memory_read(&walk->memory, address, 8, &value) == FRAME_GOOD)
		set_register(walk, number, value);
	else if (address >= stack)
		lose_register(walk, number, FRAME_OUTSIDE);
}

static enum step step_by_cache(struct walk *walk, const struct cached *cached)
{
	const struct machine *machine = walk->machine;
	struct frame_registers *registers = &walk->registers;
	uint64_t cfa, kept = 0, stack = registers->values[machine->stack_pointer];
	enum step step = cfa_base(walk, cached->cfa_register, &cfa);

	if (step != STEP_CALLER)
		return step;
	cfa += (uint64_t)(int64_t)cached->cfa_offset;
	if (cfa <= stack)
		return STEP_BAD;
	for (unsigned i = 0; i < machine->preserved_count; i++) {
		unsigned number = machine->preserved[i];
		kept |= 1ULL << number;
		if (cached->saved[i] != NOT_SAVED)
			restore(walk, number, cfa + (uint64_t)(int64_t)cached->saved[i], stack);
	}
	registers->known &= kept;
	walk->outside &= kept;
	set_register(walk, machine->stack_pointer, cfa);
	return arrive(walk, machine->pc, false);
}

/* The value that a register has in the caller, by its place; unknown ones are lost. */
static void take_place(struct walk *walk, const struct walk *from, unsigned number,
	const struct frame_place *place, uint64_t cfa)
{
	const struct frame_registers *registers = &from->registers;
	enum frame_result result = FRAME_GOOD;
	uint64_t value = 0;

	switch (place->kind) {
	case FRAME_SAME:
		return;
	case FRAME_UNDEFINED:
		result = FRAME_BAD;
		break;
	case FRAME_AT_OFFSET:
		restore(walk, number, cfa + (uint64_t)place->value,
			registers->values[from->machine->stack_pointer]);
		return;
	case FRAME_IS_OFFSET:
		value = cfa + (uint64_t)place->value;
		break;
	case FRAME_IN_REGISTER:
		result = is_known(from, (uint64_t)place->value) ? FRAME_GOOD : FRAME_BAD;
		if (result == FRAME_GOOD)
			value = registers->values[place->value];
		break;
	case FRAME_AT_EXPRESSION:
	case FRAME_IS_EXPRESSION:
		result = frame_expression_value(
			place->expression, registers, &from->memory, &cfa, &value);
		if (result == FRAME_GOOD && place->kind == FRAME_AT_EXPRESSION)
			result = frame_memory_read(&from->memory, value, 8, &value);
		break;
	}
	if (result == FRAME_GOOD)
		set_register(walk, number, value);
	else
		lose_register(walk, number, result);
}

static enum step step_by_rule(struct walk *walk, uint64_t pc)
{
	const struct machine *machine = walk->machine;
	struct walk from = *walk;
	struct frame_rule rule;
	uint64_t cfa = 0, kept = 1ULL << machine->stack_pointer;
	enum step step;

	if (!find_rule(walk->unwind, pc, &rule))
		return STEP_NO_INFORMATION;
	if (rule.places[rule.return_register].kind == FRAME_UNDEFINED)
		return STEP_OUTERMOST;
	if (rule.is_expression) {
		step = step_of(frame_expression_value(
			rule.cfa_expression, &from.registers, &from.memory, NULL, &cfa));
	} else {
		step = cfa_base(walk, rule.cfa_register, &cfa);
		cfa += (uint64_t)rule.cfa_offset;
	}
	if (step != STEP_CALLER)
		return step;
	/* A signal handler may have a stack of its own; any other stack only grows. */
	if (!rule.is_signal && cfa <= from.registers.values[machine->stack_pointer])
		return STEP_BAD;
	/* What the register contains is this frame's pc. */
	if (rule.places[machine->pc].kind == FRAME_SAME)
		lose_register(walk, machine->pc, FRAME_BAD);
	for (unsigned i = 0; i < FRAME_REGISTERS; i++)
		take_place(walk, &from, i, &rule.places[i], cfa);
	if (rule.places[machine->stack_pointer].kind == FRAME_SAME)
		set_register(walk, machine->stack_pointer, cfa);
	for (unsigned i = 0; i < machine->preserved_count; i++)
		kept |= 1ULL << machine->preserved[i];
	if (!rule.is_signal)
		walk->registers.known &= kept;
	if (!is_known(walk, machine->stack_pointer))
		return walk->outside >> machine->stack_pointer & 1 ? STEP_CUT : STEP_BAD;
	return arrive(walk, (unsigned)rule.return_register, rule.is_signal);
}

/*
 * Follows the frame pointer. It is believed if it points into the copied stack above the stack
 * pointer, so that a chain of them only goes up, and the return address there is one of code.
 * The caller may use the same register for anything else, so the saved value may be anything.
 */
static enum step step_by_frame_pointer(struct walk *walk)
{
	const struct machine *machine = walk->machine;
	uint64_t frame, saved, address, stack = walk->registers.values[machine->stack_pointer];
	const struct mapped_area *area;

	if (!is_known(walk, machine->frame_pointer))
		return walk->outside >> machine->frame_pointer & 1 ? STEP_CUT : STEP_NO_INFORMATION;
	frame = walk->registers.values[machine->frame_pointer];
	if (frame < stack || frame % 8)
		return STEP_NO_INFORMATION;
	if (frame_memory_read(&walk->memory, frame, 8, &saved) != FRAME_GOOD ||
		frame_memory_read(&walk->memory, frame + 8, 8, &address) != FRAME_GOOD)
		return STEP_NO_INFORMATION;
	area = mapped_code_find(&walk->unwind->map, address - 1);
	if (!area || !area->is_executable)
		return STEP_NO_INFORMATION;
	walk->registers.known = 0;
	walk->outside = 0;
	set_register(walk, machine->stack_pointer, frame + 16);
	set_register(walk, machine->frame_pointer, saved);
	set_register(walk, machine->pc, address);
	return arrive(walk, machine->pc, false);
}

static enum step step_to_caller(struct walk *walk)
{
	uint64_t pc = walk->pc - !walk->is_exact;
	struct cached spare;
	const struct cached *cached = look_up(walk->unwind, walk->machine, pc, &spare);

	switch (cached->kind) {
	case CACHED_SAVED:
		return step_by_cache(walk, cached);
	case CACHED_OUTERMOST:
		return STEP_OUTERMOST;
	case CACHED_RULE:
		return step_by_rule(walk, pc);
	default:
		return step_by_frame_pointer(walk);
	}
}

/* ---- a stack ---- */

static const struct machine *find_machine(const struct usdt_unwind_thread *thread)
{
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == thread->machine &&
			machines[i].order_count <= thread->register_count)
			return &machines[i];
	return NULL;
}

/* 32-bit code has the same registers, but other unwind information. */
static bool is_of_machine(const struct usdt_unwind_thread *thread, const struct machine *machine)
{
	return !machine->mode || thread->registers[machine->mode_register] == machine->mode;
}

static void take_registers(struct walk *walk, const struct usdt_unwind_thread *thread)
{
	const struct machine *machine = walk->machine;

	for (unsigned i = 0; i < machine->order_count; i++)
		if (machine->order[i] != NO_REGISTER)
			set_register(walk, machine->order[i], thread->registers[i]);
	walk->pc = walk->registers.values[machine->pc];
	walk->is_exact = true;
}

struct usdt_unwound usdt_unwind(struct usdt_unwind *unwind, const struct usdt_unwind_thread *thread,
	uint64_t *pcs, size_t capacity)
{
	static const enum usdt_unwind_end ends[] = {[STEP_CALLER] = USDT_UNWIND_FULL,
		[STEP_OUTERMOST] = USDT_UNWIND_OUTERMOST,
		[STEP_NO_INFORMATION] = USDT_UNWIND_NO_INFORMATION,
		[STEP_CUT] = USDT_UNWIND_STACK_CUT,
		[STEP_BAD] = USDT_UNWIND_BAD_DATA};
	const struct machine *machine = find_machine(thread);
	struct walk walk = {.unwind = unwind, .machine = machine};
	struct usdt_unwound unwound = {0, USDT_UNWIND_NO_INFORMATION};
	enum step step = STEP_CALLER;

	if (!machine)
		return unwound;
	if (machine != unwind->machine)
		clear_cache(unwind);
	unwind->machine = machine;
	walk.memory =
		(struct frame_memory){thread->stack_address, thread->stack_size, thread->stack};
	take_registers(&walk, thread);
	while (step == STEP_CALLER && unwound.count < capacity) {
		pcs[unwound.count++] = walk.pc;
		step = is_of_machine(thread, machine) ? step_to_caller(&walk) : STEP_NO_INFORMATION;
	}
	unwound.end = ends[step];
	return unwound;
}

int usdt_unwind_new(pid_t pid, struct usdt_unwind_files *files, struct usdt_unwind **unwind)
{
	*unwind = calloc(1, sizeof(**unwind));
	if (!*unwind)
		return -ENOMEM;
	(*unwind)->begun = clock_monotonic();
	(*unwind)->own = files ? NULL : usdt_unwind_files_new(NULL);
	(*unwind)->files = files ? files : (*unwind)->own;
	if (!(*unwind)->files) {
		free(*unwind);
		*unwind = NULL;
		return -ENOMEM;
	}
	files = (*unwind)->files;
	mapped_code_open(&(*unwind)->map, pid, &files->store);
	clear_cache(*unwind);
	return 0;
}

void usdt_unwind_free(struct usdt_unwind *unwind)
{
	if (!unwind)
		return;
	mapped_code_close(&unwind->map);
	usdt_unwind_files_free(unwind->own);
	free(unwind->cache);
	free(unwind);
}

bool usdt_unwind_step(const struct usdt_unwind *unwind, uint64_t pc, struct usdt_unwind_step *step)
{
	enum { RETURN_ADDRESS = 0, FRAME_POINTER = 2 }; /* places in preserved[] of x86-64 */
	const struct machine *machine = unwind->machine;
	const struct cached *cached = NULL;

	*step = (struct usdt_unwind_step){0};
	if (!machine || machine->machine != EM_X86_64 ||
		unwind->generation != unwind->map.generation)
		return false;
	for (size_t i = 0; unwind->cache && i < CACHE_PROBES && !cached; i++) {
		const struct cached *slot = cache_slot(unwind, pc, i);

		if (slot->pc == pc && slot->kind != CACHED_NONE)
			cached = slot;
	}
	if (!cached)
		return false;
	step->is_outermost = cached->kind == CACHED_OUTERMOST;
	if (step->is_outermost)
		return true;
	if (cached->kind != CACHED_SAVED || cached->saved[RETURN_ADDRESS] != -8 ||
		(cached->cfa_register != machine->stack_pointer &&
			cached->cfa_register != machine->frame_pointer))
		return false;
	step->by_frame_pointer = cached->cfa_register == machine->frame_pointer;
	step->saves_frame_pointer = cached->saved[FRAME_POINTER] != NOT_SAVED;
	step->cfa = cached->cfa_offset;
	step->frame_pointer = cached->saved[FRAME_POINTER];
	return true;
}

uint64_t usdt_unwind_generation(const struct usdt_unwind *unwind)
{
	return unwind->begun + unwind->map.generation;
}
