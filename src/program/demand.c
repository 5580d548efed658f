/*
 * demand.c: see demand.h. One pass over the predicate and one over the body track what registers
 * and this-> variables hold, as far as that is known before the clause runs: numbers, addresses
 * relative to an argument or to a pointer that was read, and the engine's own memory. Jumps only go
 * forward, so when the pass reaches an instruction, it has seen every path to it; a value on which
 * these paths disagree is unknown.
 */
#include "program/demand.h"

#include <errno.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "program/demand_value.h"

enum {
	CALLER_FRAMES = 2, /* the probe's own and its caller's */
	LOCALS_MAX = 16,   /* this-> variables whose values are tracked */
	IPV4_BYTES = 4,
	IPV6_BYTES = 16,
	ETHERNET_BYTES = 6,
	INFINIBAND_BYTES = 20
};

struct local {
	uint32_t variable;
	struct demand_value value;
};

struct state {
	struct demand_value registers[D_REGISTERS_MAX];
	struct local locals[LOCALS_MAX];
	unsigned local_count;
};

struct reader {
	const struct d_program *program;
	struct d_demand *demand;
	struct state now;
	struct state **targets; /* by instruction; NULL unless it is a jump's target */
	bool reachable;
	bool written;         /* the clause may have changed copies of pieces */
	uint32_t instruction; /* counted from the predicate's first */
	bool depends; /* the result depends on more than the event, or the code has side effects */
};

/*
 * False for subroutines whose result depends on more than their arguments, or that change
 * something.
 */
static bool is_pure(enum d_subroutine which)
{
	switch (which) {
	case D_SUBROUTINE_STRTOK:
	case D_SUBROUTINE_STRTOK_NEXT:
	case D_SUBROUTINE_RAND:
	case D_SUBROUTINE_PROGENYOF:
	case D_SUBROUTINE_SPECULATION:
		return false;
	default:
		return d_subroutines[which].need == D_NEED_NOTHING;
	}
}

/* ---- this-> variables ---- */

static struct local *find_local(struct state *state, uint32_t variable)
{
	for (unsigned i = 0; i < state->local_count; i++)
		if (state->locals[i].variable == variable)
			return &state->locals[i];
	return NULL;
}

static void store_local(struct reader *reader, uint32_t variable, const struct demand_value *value)
{
	struct state *now = &reader->now;
	struct local *local = find_local(now, variable);

	if (reader->program->variables[variable].scope != D_SCOPE_THIS)
		return;
	if (!local && now->local_count < LOCALS_MAX) {
		local = &now->locals[now->local_count++];
		local->variable = variable;
	}
	if (local)
		local->value = *value;
}

static struct demand_value load_local(struct reader *reader, uint32_t variable)
{
	struct local *local = find_local(&reader->now, variable);

	return local ? local->value : demand_value_nothing;
}

/* ---- demands ---- */

static bool is_same_place(const struct d_piece *one, const struct d_piece *other)
{
	return one->from == other->from && one->base == other->base && one->at == other->at &&
		one->offset == other->offset && one->index == other->index &&
		one->index_bits == other->index_bits && one->index_scale == other->index_scale &&
		one->path == other->path && one->is_string == other->is_string &&
		one->is_counted == other->is_counted && one->counter == other->counter &&
		one->more == other->more;
}

/* Notes that the instruction reads the piece; paths are never missing. */
static int note_read(struct reader *reader, size_t piece)
{
	struct d_demand *demand = reader->demand;

	if (demand->pieces[piece].path)
		return (int)piece;
	if (array_room(
		    &demand->reads, &demand->read_room, demand->read_count, sizeof(*demand->reads)))
		return -ENOMEM;
	demand->reads[demand->read_count++] =
		(struct d_read){.instruction = reader->instruction, .piece = (uint32_t)piece};
	return (int)piece;
}

/* Whether the piece's address is computed, or leads there by way of a computed one. */
static bool is_computed(const struct d_demand *demand, const struct d_piece *piece)
{
	while (piece->from == D_PIECE_POINTER)
		piece = &demand->pieces[piece->base];
	return piece->from == D_PIECE_COMPUTED;
}

/*
 * Notes that the clause reads a piece. Returns the number of the piece, -1 if the address is not in
 * the process or cannot be described, or -ENOMEM.
 */
static int keep_piece(struct reader *reader, const struct d_piece *wanted)
{
	struct d_demand *demand = reader->demand;

	if (is_computed(demand, wanted)) {
		demand->any_memory = true;
		demand->is_partial |= wanted->path != D_PATH_NONE;
	}
	for (size_t i = 0; i < demand->piece_count; i++) {
		struct d_piece *piece = &demand->pieces[i];

		if (!is_same_place(piece, wanted))
			continue;
		if (piece->length < wanted->length)
			piece->length = wanted->length;
		return note_read(reader, i);
	}
	if (demand->piece_count == D_DEMAND_PIECES_MAX) {
		demand->any_memory = demand->is_partial = true;
		return -1;
	}
	if (array_room(&demand->pieces, &demand->piece_room, demand->piece_count,
		    sizeof(*demand->pieces)))
		return -ENOMEM;
	demand->pieces[demand->piece_count] = *wanted;
	return note_read(reader, demand->piece_count++);
}

static uint32_t register_of(const struct reader *reader, const struct demand_value *known)
{
	return (uint32_t)(known - reader->now.registers);
}

static uint32_t bounded(uint64_t length)
{
	return length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
}

static struct d_piece piece_at(const struct demand_value *address, uint64_t length)
{
	return (struct d_piece){.from = (enum d_piece_base)address->from,
		.base = address->base,
		.at = address->at,
		.offset = address->offset,
		.index = address->index,
		.index_bits = address->index_bits,
		.index_scale = address->index_scale,
		.length = bounded(length)};
}

/* As read_piece(), where the clause's code must be followed to know the address or the length. Both
 * are registers of the instruction; number: the one with the length, or NULL. */
static int read_computed(struct reader *reader, const struct demand_value *address, bool is_string,
	uint64_t length, const struct demand_value *number)
{
	const struct d_piece wanted = {.from = D_PIECE_COMPUTED,
		.base = reader->instruction,
		.at = register_of(reader, address),
		.is_string = is_string,
		.is_counted = number != NULL,
		.counter = number ? register_of(reader, number) : 0,
		.length = bounded(length)};

	return keep_piece(reader, &wanted);
}

/*
 * Notes that the clause reads length bytes, or a string of at most that length, at an address in a
 * register; or only as many as another register says, if number is not NULL. counter is the
 * argument that this is, NULL: none. Returns as keep_piece().
 */
static int read_piece(struct reader *reader, const struct demand_value *address, bool is_string,
	uint64_t length, const struct demand_value *counter, const struct demand_value *number)
{
	struct d_piece wanted = piece_at(address, length);

	if (demand_value_is_own(address) || !wanted.length)
		return -1;
	if (address->kind == DEMAND_VALUE_NOTHING)
		return read_computed(reader, address, is_string, length, number);
	wanted.is_string = is_string;
	wanted.is_counted = counter != NULL;
	wanted.counter = counter ? counter->base : 0;
	wanted.more = counter ? counter->offset : 0;
	return keep_piece(reader, &wanted);
}

static int read_path(
	struct reader *reader, const struct demand_value *address, const struct demand_value *mount)
{
	struct d_piece wanted = piece_at(address, reader->program->options.strsize);
	int piece;

	if (demand_value_is_own(address))
		return -1;
	if (address->kind == DEMAND_VALUE_NOTHING) {
		reader->demand->any_memory = reader->demand->is_partial = true;
		return -1;
	}
	wanted.path = mount ? D_PATH_MOUNT : D_PATH_FILE;
	piece = keep_piece(reader, &wanted);
	return piece < -1 ? piece : -1;
}

static int read_memory(
	struct reader *reader, const struct demand_value *address, bool is_string, uint64_t length)
{
	return read_piece(reader, address, is_string, length, NULL, NULL);
}

/* As read_memory(), with the length in a register. What is in a piece of varying length is not
 * tracked. */
static int read_counted(struct reader *reader, const struct demand_value *address,
	const struct demand_value *length)
{
	struct demand_value counter;
	int piece;

	if (demand_value_is_number(length))
		return read_memory(reader, address, false, (uint64_t)length->offset);
	if (demand_value_is_own(address))
		return -1;
	if (demand_value_is_count(length, &counter))
		piece = read_piece(reader, address, false, D_DEMAND_COUNTED_MAX, &counter, length);
	else
		piece = read_computed(reader, address, false, D_DEMAND_COUNTED_MAX, length);
	return piece < -1 ? piece : -1;
}

/* An integer of that many bytes is read at an address; it may itself be an address. */
static int read_integer(struct reader *reader, const struct demand_value *address, unsigned size,
	struct demand_value *result)
{
	int piece = read_memory(reader, address, false, size);

	*result = demand_value_nothing;
	if (piece < -1)
		return piece;
	if (size != sizeof(uint64_t))
		return 0;
	if (piece >= 0)
		*result = (struct demand_value){.kind = DEMAND_VALUE_PLAIN,
			.from = D_PIECE_POINTER,
			.base = (uint32_t)piece};
	else if (address->kind == DEMAND_VALUE_COPY && !reader->written && address->offset >= 0 &&
		(uint64_t)address->offset + size <= reader->demand->pieces[address->base].length)
		*result = (struct demand_value){.kind = DEMAND_VALUE_PLAIN,
			.from = D_PIECE_POINTER,
			.base = address->base,
			.at = (uint32_t)address->offset};
	return 0;
}

static uint64_t string_limit(const struct reader *reader, const struct demand_value *limit)
{
	uint64_t most = reader->program->options.strsize;

	return limit && demand_value_is_number(limit) && limit->offset >= 0 &&
			(uint64_t)limit->offset < most
		? (uint64_t)limit->offset
		: most;
}

static int read_network(
	struct reader *reader, enum d_subroutine which, const struct demand_value *arguments)
{
	bool is_link = which == D_SUBROUTINE_LINK_NTOP;
	int64_t family = arguments[0].offset;
	uint64_t length;

	if (which == D_SUBROUTINE_INET_NTOA)
		return read_memory(reader, &arguments[0], false, IPV4_BYTES);
	if (which == D_SUBROUTINE_INET_NTOA6)
		return read_memory(reader, &arguments[0], false, IPV6_BYTES);
	if (demand_value_is_own(&arguments[1]))
		return -1;
	if (!demand_value_is_number(&arguments[0])) {
		reader->demand->any_memory = reader->demand->is_partial = true;
		return -1;
	}
	if (is_link)
		length = family == ARPHRD_INFINIBAND ? INFINIBAND_BYTES : ETHERNET_BYTES;
	else
		length = family == AF_INET6 ? IPV6_BYTES : IPV4_BYTES;
	return read_memory(reader, &arguments[1], false, length);
}

static int read_call(
	struct reader *reader, const struct d_instruction *at, struct demand_value *result)
{
	const struct demand_value *arguments = &reader->now.registers[at->b];
	enum d_subroutine which = (enum d_subroutine)at->immediate;
	struct demand_value counter;
	int piece = -1;

	*result = demand_value_nothing;
	reader->depends |= !is_pure(which);
	switch (which) {
	case D_SUBROUTINE_COPYINSTR:
	case D_SUBROUTINE_STRINGOF:
		return read_piece(reader, &arguments[0], true,
			string_limit(reader, at->c > 1 ? &arguments[1] : NULL),
			at->c > 1 && demand_value_is_count(&arguments[1], &counter) ? &counter
										    : NULL,
			at->c > 1 && !demand_value_is_number(&arguments[1]) ? &arguments[1] : NULL);
	case D_SUBROUTINE_D_PATH:
		return read_path(reader, &arguments[0], at->c > 1 ? &arguments[1] : NULL);
	case D_SUBROUTINE_COPYIN:
		piece = read_counted(reader, &arguments[0], &arguments[1]);
		*result = demand_value_own;
		if (piece >= 0)
			*result = (struct demand_value){
				.kind = DEMAND_VALUE_COPY, .base = (uint32_t)piece};
		return piece;
	case D_SUBROUTINE_COPYINTO:
		reader->written = true;
		return read_counted(reader, &arguments[0], &arguments[1]);
	case D_SUBROUTINE_BCOPY:
		reader->written = true;
		return read_counted(reader, &arguments[0], &arguments[2]);
	case D_SUBROUTINE_MEMSTR:
		return read_counted(reader, &arguments[0], &arguments[2]);
	case D_SUBROUTINE_INET_NTOA:
	case D_SUBROUTINE_INET_NTOA6:
	case D_SUBROUTINE_INET_NTOP:
	case D_SUBROUTINE_LINK_NTOP:
		return read_network(reader, which, arguments);
	case D_SUBROUTINE_ALLOCA:
	case D_SUBROUTINE_BLOCK:
	case D_SUBROUTINE_MEMREF:
		*result = demand_value_own;
		return 0;
	case D_SUBROUTINE_PROGENYOF:
		reader->demand->process =
			true; /* the parent: a short-lived process has ended by then */
		return 0;
	default:
		return 0;
	}
}

static void read_builtin(struct reader *reader, const struct d_instruction *at)
{
	struct d_demand *demand = reader->demand;

	demand->needs |= d_need_bit(d_builtins[at->immediate].need);
	switch (at->immediate) {
	case D_BUILTIN_TIMESTAMP:
	case D_BUILTIN_WALLTIMESTAMP:
		demand->time = true;
		break;
	case D_BUILTIN_UREGS:
		demand->registers |= UINT64_C(1) << (at->b & 63);
		break;
	case D_BUILTIN_PPID:
	case D_BUILTIN_UID:
	case D_BUILTIN_GID:
	case D_BUILTIN_EXECNAME:
		demand->process = true;
		break;
	case D_BUILTIN_CWD:
		demand->directory = true;
		break;
	case D_BUILTIN_ROOT:
		demand->root_directory = true;
		break;
	case D_BUILTIN_CALLER:
		if (demand->kernel_frames < CALLER_FRAMES)
			demand->kernel_frames = CALLER_FRAMES;
		break;
	case D_BUILTIN_UCALLER:
		if (demand->user_frames < CALLER_FRAMES)
			demand->user_frames = CALLER_FRAMES;
		break;
	case D_BUILTIN_STACKDEPTH:
		demand->kernel_frames = D_DEMAND_ALL_FRAMES;
		break;
	case D_BUILTIN_USTACKDEPTH:
		demand->user_frames = D_DEMAND_ALL_FRAMES;
		break;
	default:
		break;
	}
}

static void read_stack(struct reader *reader, const struct d_instruction *at)
{
	uint32_t *frames = at->b ? &reader->demand->user_frames : &reader->demand->kernel_frames;

	reader->demand->needs |= d_need_bit(at->b ? D_NEED_USER_STACK : D_NEED_KERNEL_STACK);
	if (*frames < (uint32_t)at->immediate)
		*frames = (uint32_t)at->immediate;
}

/* ---- the pass ---- */

static int jump(struct reader *reader, int32_t to)
{
	struct state *state = reader->targets[to];

	if (!state) {
		state = malloc(sizeof(*state));
		if (!state)
			return -ENOMEM;
		*state = reader->now;
		reader->targets[to] = state;
		return 0;
	}
	for (unsigned i = 0; i < D_REGISTERS_MAX; i++)
		state->registers[i] =
			demand_value_common(&state->registers[i], &reader->now.registers[i]);
	for (unsigned i = 0; i < state->local_count; i++) {
		struct local *local = &state->locals[i];
		struct demand_value value = load_local(reader, local->variable);

		local->value = demand_value_common(&local->value, &value);
	}
	return 0;
}

/* Variables. Only the values of this-> scalars are tracked. */
static void read_variable(struct reader *reader, const struct d_instruction *at)
{
	struct demand_value *a = &reader->now.registers[at->a];

	reader->depends = true;
	switch (at->opcode) {
	case D_OP_LOAD:
		*a = load_local(reader, (uint32_t)at->immediate);
		break;
	case D_OP_STORE:
		store_local(reader, (uint32_t)at->immediate, a);
		break;
	case D_OP_ADDRESS:
	case D_OP_ADDRESS_ELEMENT:
		*a = demand_value_own;
		break;
	case D_OP_STORE_CHARACTER:
		store_local(reader, (uint32_t)at->immediate, &demand_value_nothing);
		break;
	case D_OP_LOAD_ELEMENT:
		*a = demand_value_nothing;
		break;
	default:
		break;
	}
}

/* Arithmetic on known values, and any other instruction whose result is an integer or a text. */
static void compute(struct reader *reader, const struct d_instruction *at)
{
	struct demand_value *registers = reader->now.registers;
	const struct demand_value *b = &registers[at->b], *c = &registers[at->c];
	struct demand_value result = demand_value_nothing, factor;

	switch (at->opcode) {
	case D_OP_INTEGER:
		result = demand_value_number(at->immediate);
		break;
	case D_OP_CONSTANT:
		result = demand_value_number(reader->program->integers[at->immediate]);
		break;
	case D_OP_NULL:
		result = demand_value_number(0);
		break;
	case D_OP_MOVE:
		result = *b;
		break;
	case D_OP_ADD:
		result = demand_value_add(b, c);
		break;
	case D_OP_SUBTRACT:
		result = demand_value_subtract(b, c);
		break;
	case D_OP_MULTIPLY:
		result = demand_value_multiply(b, c);
		break;
	case D_OP_SHIFT_LEFT:
		factor = demand_value_number((int64_t)(UINT64_C(1) << (c->offset & 63)));
		if (demand_value_is_number(c))
			result = demand_value_multiply(b, &factor);
		break;
	case D_OP_CUT:
	case D_OP_BITS:
		result = demand_value_cut(b, at->immediate);
		break;
	case D_OP_ADDRESS_STRING:
	case D_OP_KEEP:
		result = demand_value_own;
		break;
	default:
		break;
	}
	registers[at->a] = result;
}

/* Processes one instruction; returns 0 or a negative errno. */
static int read_instruction(struct reader *reader, const struct d_instruction *at)
{
	struct demand_value *registers = reader->now.registers;
	struct demand_value result;
	int error = 0;

	switch (at->opcode) {
	case D_OP_RETURN:
		reader->reachable = false;
		return 0;
	case D_OP_JUMP:
		reader->reachable = false;
		return jump(reader, at->immediate);
	case D_OP_JUMP_ZERO:
	case D_OP_JUMP_NOT_ZERO:
		return jump(reader, at->immediate);
	case D_OP_ARGUMENT:
		if (at->immediate < 64)
			reader->demand->arguments |= UINT64_C(1) << at->immediate;
		registers[at->a] = (struct demand_value){.kind = DEMAND_VALUE_PLAIN,
			.from = D_PIECE_ARGUMENT,
			.base = (uint32_t)at->immediate};
		return 0;
	case D_OP_BUILTIN:
		read_builtin(reader, at);
		registers[at->a] = demand_value_nothing;
		if (d_builtin_is_thread((enum d_builtin)at->immediate))
			registers[at->a] = (struct demand_value){
				.kind = DEMAND_VALUE_PLAIN, .from = D_PIECE_THREAD};
		return 0;
	case D_OP_LOAD:
	case D_OP_STORE:
	case D_OP_STORE_CHARACTER:
	case D_OP_LOAD_ELEMENT:
	case D_OP_STORE_ELEMENT:
	case D_OP_FREE:
	case D_OP_FREE_ELEMENT:
	case D_OP_ADDRESS:
	case D_OP_ADDRESS_ELEMENT:
		read_variable(reader, at);
		return 0;
	case D_OP_READ:
		error = read_integer(reader, &registers[at->b], at->c & 15u, &result);
		registers[at->a] = result;
		break;
	case D_OP_TEXT:
	case D_OP_BYTES:
		error = read_memory(reader, &registers[at->b], at->opcode == D_OP_TEXT,
			(uint64_t)at->immediate);
		registers[at->a] = demand_value_nothing;
		break;
	case D_OP_KEEP_POINTER:
		error = read_memory(
			reader, &registers[at->b], true, reader->program->options.strsize);
		registers[at->a] = demand_value_nothing;
		reader->depends = true;
		break;
	case D_OP_COPY:
		reader->written = true;
		error = read_memory(reader, &registers[at->a], false, (uint64_t)at->immediate);
		break;
	case D_OP_WRITE:
	case D_OP_WRITE_TEXT:
		reader->written = true;
		return 0;
	case D_OP_CALL:
		error = read_call(reader, at, &result);
		registers[at->a] = result;
		break;
	case D_OP_STACK:
		read_stack(reader, at);
		registers[at->a] = demand_value_nothing;
		return 0;
	case D_OP_GUEST_STACK:
		reader->demand->needs |= d_need_bit(D_NEED_GUEST_STACK);
		registers[at->a] = demand_value_nothing;
		return 0;
	case D_OP_PLACE:
		registers[at->a] = demand_value_nothing;
		return 0;
	case D_OP_AGGREGATE:
		if (reader->program->options.aggpercpu)
			reader->demand->needs |= d_need_bit(D_NEED_CPU);
		return 0;
	case D_OP_BOUND:
	case D_OP_ACTION:
	case D_OP_SPECULATE:
	case D_OP_COMMIT:
	case D_OP_DISCARD:
		return 0;
	default:
		compute(reader, at);
		return 0;
	}
	return error < -1 ? error : 0;
}

/* first: the number of the code's first instruction in the clause */
static int read_code(
	struct reader *reader, const struct d_instruction *code, size_t count, uint32_t first)
{
	int result = 0;

	reader->now = (struct state){.local_count = 0};
	reader->reachable = true;
	reader->targets = calloc(count + 1, sizeof(*reader->targets));
	if (!reader->targets)
		return -ENOMEM;
	for (size_t i = 0; i < count && !result; i++) {
		if (reader->targets[i] && reader->reachable)
			result = jump(reader, (int32_t)i);
		if (reader->targets[i]) {
			reader->now = *reader->targets[i];
			reader->reachable = true;
			free(reader->targets[i]); /* no later instruction jumps here */
			reader->targets[i] = NULL;
		}
		reader->instruction = first + (uint32_t)i;
		if (reader->reachable && !result)
			result = read_instruction(reader, &code[i]);
	}
	for (size_t i = 0; i < count; i++)
		free(reader->targets[i]);
	free(reader->targets);
	return result;
}

int d_demand_of(
	const struct d_program *program, const struct d_clause *clause, struct d_demand *demand)
{
	struct reader reader = {.program = program, .demand = demand};
	int result = 0;

	*demand = (struct d_demand){.needs = clause->needs.set};
	/* The cpu is shown before each clause's output unless the run is quiet. */
	if (!program->options.quiet || program->options.cpu >= 0)
		demand->needs |= d_need_bit(D_NEED_CPU);
	if (clause->predicate)
		result = read_code(&reader, clause->predicate, clause->predicate_count, 0);
	if (clause->predicate && !reader.depends && !demand->any_memory) {
		demand->predicate = clause->predicate;
		demand->predicate_count = clause->predicate_count;
	}
	if (!result)
		result = read_code(&reader, clause->code, clause->code_count,
			(uint32_t)clause->predicate_count);
	demand->needs &= ~d_need_bit(D_NEED_NOTHING);
	if (result)
		d_demand_free(demand);
	return result;
}

void d_demand_free(struct d_demand *demand)
{
	free(demand->pieces);
	free(demand->reads);
	demand->pieces = NULL;
	demand->reads = NULL;
	demand->piece_count = demand->read_count = 0;
	demand->piece_room = demand->read_room = 0;
}

uint64_t d_demand_arguments(const struct d_demand *demand)
{
	uint64_t arguments = demand->arguments;

	for (size_t i = 0; i < demand->piece_count; i++) {
		const struct d_piece *piece = &demand->pieces[i];

		if (piece->from == D_PIECE_ARGUMENT && piece->base < 64)
			arguments |= UINT64_C(1) << piece->base;
		if (piece->index && piece->index <= 64)
			arguments |= UINT64_C(1) << (piece->index - 1);
		if (piece->is_counted && piece->counter < 64 && piece->from != D_PIECE_COMPUTED)
			arguments |= UINT64_C(1) << piece->counter;
	}
	return arguments;
}
