/*
 * stack_numbers.c: see stack_numbers.h. A number is the index of the stack, plus 1, and is never
 * given again. The hash must be calculated here as the programs do it (stack_walk.c).
 */
#include "kernel/translate/stack_numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/arena.h"
#include "kernel/bpf/bpf.h"
#include "usdt/unwind/unwind.h"

enum {
	RULES_MAX = 1 << 16,
	STACKS_MAX = 1 << 15,
	BYTES_MAX = 8 << 20 /* of all stacks that are known */
};

struct kernel_stack {
	struct kernel_walk_hash hash;
	size_t count; /* of words */
	uint64_t words[];
};

/* What the programs know of a process. */
struct kernel_stacks_process {
	uint32_t pid;
	uint64_t generation; /* of its mappings */
	uint64_t *pcs;
	size_t pc_count, pc_capacity;
	struct kernel_walk_hash *hashes;
	size_t hash_count, hash_capacity;
};

int kernel_stacks_open(struct kernel_stacks *stacks)
{
	*stacks = (struct kernel_stacks){.rules = -1, .stacks = -1};
	if (getrandom(&stacks->seed, sizeof(stacks->seed), 0) != sizeof(stacks->seed))
		return -errno;
	stacks->is_open = true;
	stacks->rules = bpf_map(BPF_MAP_TYPE_HASH, sizeof(struct kernel_walk_place),
		sizeof(struct kernel_walk_rule), RULES_MAX, BPF_F_NO_PREALLOC);
	if (stacks->rules < 0)
		return stacks->rules;
	stacks->stacks = bpf_map(BPF_MAP_TYPE_HASH, sizeof(struct kernel_walk_hash),
		sizeof(uint64_t), STACKS_MAX, BPF_F_NO_PREALLOC);
	return stacks->stacks < 0 ? stacks->stacks : 0;
}

void kernel_stacks_close(struct kernel_stacks *stacks)
{
	if (!stacks->is_open)
		return;
	for (size_t i = 0; i < stacks->count; i++)
		free(stacks->known[i]);
	for (size_t i = 0; i < stacks->process_count; i++) {
		free(stacks->processes[i].pcs);
		free(stacks->processes[i].hashes);
	}
	free(stacks->known);
	hash_table_free(&stacks->by_hash);
	free(stacks->processes);
	if (stacks->rules >= 0)
		close(stacks->rules);
	if (stacks->stacks >= 0)
		close(stacks->stacks);
	*stacks = (struct kernel_stacks){.rules = -1, .stacks = -1};
}

/* ---- numbers ---- */

/* Calculates the hash as stack_walk.c does. words: the process, then the frames. */
static struct kernel_walk_hash hash_of(
	const struct kernel_stacks *stacks, const uint64_t *words, size_t count)
{
	struct kernel_walk_hash hash = stacks->seed;

	for (size_t i = 0; i < count; i++) {
		hash.one = (hash.one ^ words[i]) * KERNEL_HASH_ONE;
		hash.one ^= hash.one >> KERNEL_HASH_SHIFT_ONE;
		hash.other = (hash.other + words[i]) * KERNEL_HASH_OTHER;
		hash.other ^= hash.other >> KERNEL_HASH_SHIFT_OTHER;
	}
	return hash;
}

static bool is_hash(const void *known, uint32_t index, const void *hash)
{
	return !memcmp(&((struct kernel_stack *const *)known)[index]->hash, hash,
		sizeof(struct kernel_walk_hash));
}

/* Returns the number of a stack, which is added if it is new; 0 if there is no room for another
 * one. */
static uint64_t number_of(struct kernel_stacks *stacks, const struct kernel_walk_hash *hash,
	const uint64_t *words, size_t count)
{
	size_t bytes = sizeof(struct kernel_stack) + 8 * count;
	uint32_t index = hash_table_find(
		&stacks->by_hash, (uint32_t)hash->one, is_hash, stacks->known, hash);
	struct kernel_stack *stack;

	if (index != HASH_TABLE_NONE)
		return (uint64_t)index + 1;
	if (stacks->bytes + bytes > BYTES_MAX ||
		array_room(&stacks->known, &stacks->capacity, stacks->count,
			sizeof(struct kernel_stack *)))
		return 0;
	stack = malloc(bytes);
	if (!stack ||
		hash_table_add(&stacks->by_hash, (uint32_t)hash->one, (uint32_t)stacks->count)) {
		free(stack);
		return 0;
	}
	stack->hash = *hash;
	stack->count = count;
	memcpy(stack->words, words, 8 * count);
	stacks->bytes += bytes;
	stacks->known[stacks->count] = stack;
	return ++stacks->count;
}

const uint64_t *kernel_stacks_words(
	const struct kernel_stacks *stacks, uint64_t number, size_t *count)
{
	if (!number || number > stacks->count)
		return NULL;
	*count = stacks->known[number - 1]->count;
	return stacks->known[number - 1]->words;
}

/* ---- what programs know ---- */

static struct kernel_stacks_process *find_process(const struct kernel_stacks *stacks, uint32_t pid)
{
	for (size_t i = 0; i < stacks->process_count; i++)
		if (stacks->processes[i].pid == pid)
			return &stacks->processes[i];
	return NULL;
}

static void forget_stacks(const struct kernel_stacks *stacks, struct kernel_stacks_process *process)
{
	for (size_t i = 0; i < process->pc_count; i++)
		bpf_map_delete(
			stacks->rules, &(struct kernel_walk_place){process->pcs[i], process->pid});
	for (size_t i = 0; i < process->hash_count; i++)
		bpf_map_delete(stacks->stacks, &process->hashes[i]);
	process->pc_count = process->hash_count = 0;
}

void kernel_stacks_follow(
	struct kernel_stacks *stacks, uint32_t pid, const struct usdt_unwind *unwind)
{
	struct kernel_stacks_process *process = find_process(stacks, pid);
	uint64_t generation = unwind ? usdt_unwind_generation(unwind) : 0;

	if (!process || (unwind && process->generation == generation))
		return;
	forget_stacks(stacks, process);
	process->generation = generation;
}

static struct kernel_stacks_process *add_process(struct kernel_stacks *stacks, uint32_t pid)
{
	struct kernel_stacks_process *process = find_process(stacks, pid);

	if (process)
		return process;
	if (array_room(&stacks->processes, &stacks->process_capacity, stacks->process_count,
		    sizeof(*stacks->processes)))
		return NULL;
	process = &stacks->processes[stacks->process_count++];
	*process = (struct kernel_stacks_process){.pid = pid};
	return process;
}

/* Finds the rule for a frame. Returns false if a program cannot find the caller of a frame at this
 * pc. */
static bool find_rule(struct usdt_unwind *unwind, uint64_t pc, struct kernel_walk_rule *rule)
{
	struct usdt_unwind_step step;

	if (!usdt_unwind_step(unwind, pc, &step))
		return false;
	*rule = (struct kernel_walk_rule){.kind = step.is_outermost ? KERNEL_RULE_OUTERMOST
			: step.by_frame_pointer                     ? KERNEL_RULE_FRAME_POINTER
								    : KERNEL_RULE_STACK_POINTER,
		.cfa = step.cfa,
		.frame_pointer = step.saves_frame_pointer ? step.frame_pointer : KERNEL_RULE_KEPT};
	return true;
}

/* Teaches the programs a rule. Returns false if they may not know it. */
static bool teach_rule(struct kernel_stacks *stacks, struct kernel_stacks_process *process,
	uint64_t pc, const struct kernel_walk_rule *rule)
{
	const struct kernel_walk_place place = {pc, process->pid};
	struct kernel_walk_rule known;

	if (!bpf_map_get(stacks->rules, &place, &known))
		return true;
	if (array_room(&process->pcs, &process->pc_capacity, process->pc_count,
		    sizeof(*process->pcs)) ||
		bpf_map_set(stacks->rules, &place, rule))
		return false;
	process->pcs[process->pc_count++] = pc;
	return true;
}

void kernel_stacks_learn(struct kernel_stacks *stacks, struct usdt_unwind *unwind,
	const uint64_t *words, size_t count, enum kernel_stack_end end)
{
	struct kernel_walk_rule rules[KERNEL_WALK_FRAMES_MAX];
	struct kernel_stacks_process *process;
	struct kernel_walk_hash hash;
	size_t frames = count - 1, stepped;
	uint64_t number;

	kernel_stacks_follow(stacks, (uint32_t)words[0], unwind);
	if (end == KERNEL_STACK_CUT || !frames || frames > KERNEL_WALK_FRAMES_MAX)
		return;
	hash = hash_of(stacks, words, count);
	if (!bpf_map_get(stacks->stacks, &hash, &number))
		return;
	stepped = frames - (end == KERNEL_STACK_AT_LIMIT);
	for (size_t i = 0; i < stepped; i++)
		if (!find_rule(unwind, words[1 + i] - (i > 0), &rules[i]))
			return;
	process = add_process(stacks, (uint32_t)words[0]);
	if (!process ||
		array_room(&process->hashes, &process->hash_capacity, process->hash_count,
			sizeof(*process->hashes)))
		return;
	process->generation = usdt_unwind_generation(unwind);
	for (size_t i = 0; i < stepped; i++)
		if (!teach_rule(stacks, process, words[1 + i] - (i > 0), &rules[i]))
			return;
	number = number_of(stacks, &hash, words, count);
	if (number && !bpf_map_set(stacks->stacks, &hash, &number))
		process->hashes[process->hash_count++] = hash;
}
