/*
 * walker.c: see walker.h, and vmtap.h for the VM's side. Threads count themselves while they may be
 * in the walker; a registration removes the old walker, waits until the count is zero and then sets
 * the new one, so a walker never gets another one's context.
 */
#include "shim/extra/walker.h"
#include "shim/core/extra.h"
#include "shim/core/name.h"
#include "shim/core/registry.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

#include "base/test_point.h"

static _Atomic(vmtap_stack_walker) current_walker;
static void *current_context; /* set while there is no walker */
/* The walker that is being registered; a child of fork() completes that. */
static _Atomic(vmtap_stack_walker) next_walker;
static void *next_context;
static _Atomic uint32_t running_walks; /* threads that are in the walker, or about to read it */
static atomic_flag registering = ATOMIC_FLAG_INIT;
static __thread volatile bool is_walking;

int vmtap_stack_register(vmtap_stack_walker walker, void *own)
{
	const struct timespec moment = {.tv_nsec = 100000};

	if (is_walking)
		return -EDEADLK;
	if (walker && !registry_is_used())
		return -ENOTSUP;
	if (atomic_flag_test_and_set(&registering))
		return -EBUSY;
	/* A thread counts itself before it reads the walker, so a thread that is not counted after
	 * this does not see the old one. */
	next_context = own;
	atomic_store(&next_walker, walker);
	atomic_store(&current_walker, NULL);
	while (atomic_load(&running_walks))
		nanosleep(&moment, NULL);
	current_context = own;
	TEST_POINT("walker-registered");
	atomic_store(&current_walker, walker);
	atomic_flag_clear(&registering);
	return 0;
}

bool walker_is_there(void)
{
	return atomic_load_explicit(&current_walker, memory_order_acquire) != NULL;
}

const struct vmtap_stack *walker_walk(struct vmtap_stack *own)
{
	static const struct vmtap_stack empty;
	vmtap_stack_walker walker;

	if (!walker_is_there())
		return NULL;
	if (own->in_use)
		return &empty;
	own->in_use = true;
	own->count = own->cut = 0;
	atomic_signal_fence(memory_order_seq_cst);
	atomic_fetch_add(&running_walks, 1);
	own->is_inside = is_walking = true;
	walker = atomic_load(&current_walker);
	if (walker)
		walker(own, current_context);
	own->is_inside = is_walking = false;
	atomic_fetch_sub(&running_walks, 1);
	atomic_signal_fence(memory_order_seq_cst);
	if (!walker)
		own->in_use = false;
	return walker ? own : NULL;
}

void walker_done(struct vmtap_stack *own, const struct vmtap_stack *walked)
{
	atomic_signal_fence(memory_order_seq_cst);
	if (walked == own)
		own->in_use = false;
}

void walker_reset(struct vmtap_stack *own)
{
	if (own->is_inside)
		atomic_fetch_sub(&running_walks, 1);
	own->is_inside = is_walking = false;
	own->in_use = false;
}

/* Returns the id of a name in a frame. Unlike an argument's, its text cannot travel with the event,
 * because a stack has too many names. */
static uint32_t frame_name(struct vmtap_name *name)
{
	uint32_t id;

	if (!name || !name->text)
		return 0;
	id = __atomic_load_n(&name->id, __ATOMIC_ACQUIRE);
	if (__builtin_expect(id + 1 > 1, 1))
		return id;
	if (id)
		id = __atomic_load_n(
			&vmtap_name_intern(name->text, name->length)->id, __ATOMIC_ACQUIRE);
	else
		id = name_take(name);
	return id ? id : STACK_RECORD_NO_ROOM;
}

void vmtap_stack_frame(struct vmtap_stack *stack, struct vmtap_name *class_name,
	struct vmtap_name *method, struct vmtap_name *file, uint32_t line)
{
	struct stack_record_frame *frame;

	if (stack->count == STACK_RECORD_FRAMES_MAX) {
		stack->cut++;
		return;
	}
	frame = &stack->frames[stack->count];
	frame->names[0] = frame_name(class_name);
	frame->names[1] = frame_name(method);
	frame->names[2] = frame_name(file);
	frame->line = line;
	stack->count++;
}

int vmtap_stack_add(struct vmtap_stack *stack, struct vmtap_name *class_name,
	struct vmtap_name *method, struct vmtap_name *file, uint32_t line)
{
	vmtap_stack_frame(stack, class_name, method, file, line);
	return stack->count < STACK_RECORD_FRAMES_MAX;
}

void walker_fork_child(const struct vmtap_stack *own)
{
	atomic_store(&running_walks, own && own->is_inside);
	if (!atomic_load(&current_walker) && atomic_load(&next_walker)) {
		current_context = next_context;
		atomic_store(&current_walker, atomic_load(&next_walker));
	}
	atomic_flag_clear(&registering);
}

static const struct extra_walker walker_table = {.is_there = walker_is_there,
	.walk = walker_walk,
	.done = walker_done,
	.reset = walker_reset,
	.fork_child = walker_fork_child};
EXTRA_POINTER const struct extra_walker *vmtap_extra_walker = &walker_table;
