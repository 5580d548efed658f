/*
 * stacks.c: see stacks.h. source/eventlog/method_stacks.h keeps threads and their frames; a frame's
 * node is its stack in the tree. What is measured is added here, before an event changes the
 * thread's stack.
 */
#include "cli/flame/stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cli/method_names.h"
#include "cli/stop_reason.h"
#include "source/eventlog/loss_gaps.h"
#include "source/eventlog/method_stacks.h"

enum stacks_role {
	ROLE_ENTRY,
	ROLE_RETURN,
	ROLE_RUN,
	ROLE_STOP,
	ROLE_EXIT,
	ROLE_LOCK_WAIT,
	ROLE_LOCK_ACQUIRED,
	ROLE_PARK,
	ROLE_UNPARK,
	ROLE_OBJECT,
	ROLE_ARRAY,
	ROLE_HASH,
	ROLE_STRING,
	ROLE_SAMPLE
};

const struct feed_probe stacks_probes[] = {
	{"method-entry", ROLE_ENTRY},
	{"native-entry", ROLE_ENTRY},
	{"method-return", ROLE_RETURN},
	{"native-return", ROLE_RETURN},
	{"thread-run", ROLE_RUN},
	{"thread-stop", ROLE_STOP},
	{"thread-exit", ROLE_EXIT},
	{"lock-wait", ROLE_LOCK_WAIT},
	{"lock-acquired", ROLE_LOCK_ACQUIRED},
	{"thread-park", ROLE_PARK},
	{"thread-unpark", ROLE_UNPARK},
	{"object-create", ROLE_OBJECT},
	{"array-create", ROLE_ARRAY},
	{"hash-create", ROLE_HASH},
	{"string-create", ROLE_STRING},
};
const size_t stacks_probe_count = sizeof(stacks_probes) / sizeof(stacks_probes[0]);

const struct feed_probe stacks_sample = {"sample", ROLE_SAMPLE};

struct guest_thread {
	struct method_thread calls; /* the frames for which the tree has room */
	uint32_t base;              /* the node below which they are */
	uint32_t reason;            /* name of what blocks it; 0: it is not blocked */
	bool is_stopped;            /* by thread-stop */
	uint64_t since;   /* time up to which its time has been counted, or since it is blocked */
	bool is_held;     /* its time goes on only with its own events */
	uint64_t latest;  /* its last call or return; 0: none */
	uint32_t process; /* of a log with several: the index of its process */
};

struct stacks {
	struct call_tree *tree;
	enum stacks_measure measure;
	struct method_names methods;
	uint32_t *names; /* by a method name's id: the tree's name, 0: not asked yet */
	size_t name_count;
	struct method_stacks threads; /* of struct guest_thread */
	uint64_t *entries;            /* by node; NULL: calls are not counted beside the measure */
	size_t entry_count;
	bool counts_entries;
	struct loss_gaps gaps;
	uint64_t latest, calls, lost;
	struct call_cost cost;
	bool names_processes; /* the log has several: the outermost frame is the process */
	bool has_failed;
	bool is_sampled; /* it takes samples, each of which stands for itself: losses leave no gap
			  */
};

struct stacks *stacks_new(struct call_tree *tree, enum stacks_measure measure, uint64_t start)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->tree = tree;
	stacks->measure = measure;
	stacks->latest = start;
	method_stacks_init(&stacks->threads, sizeof(struct guest_thread), UINT32_MAX, UINT32_MAX);
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	method_stacks_free(&stacks->threads);
	loss_gaps_free(&stacks->gaps);
	method_names_free(&stacks->methods);
	free(stacks->names);
	free(stacks->entries);
	free(stacks);
}

static struct guest_thread *find_thread(struct stacks *stacks, uint64_t wanted, uint64_t time)
{
	uint32_t number = (uint32_t)wanted;
	struct guest_thread *thread = (void *)method_stacks_find(&stacks->threads, number);

	if (thread)
		return thread;
	thread = (void *)method_stacks_add(&stacks->threads, number);
	if (thread)
		thread->since = time;
	else
		stacks->has_failed = true;
	return thread;
}

/* The node of a thread's stack. */
static inline uint32_t node_of(const struct guest_thread *thread)
{
	return thread->calls.depth ? thread->calls.frames[thread->calls.depth - 1].node
				   : thread->base;
}

/* ---- what is measured ---- */

static void add_leaf(
	struct stacks *stacks, const struct guest_thread *thread, uint32_t name, uint64_t amount)
{
	uint32_t node = thread ? node_of(thread) : 0;
	uint32_t leaf = name ? call_tree_child(stacks->tree, node, name) : UINT32_MAX;

	stacks->tree->nodes[leaf == UINT32_MAX ? node : leaf].self += amount;
}

/* Counts the time since it was last counted for the frame that the thread was in. */
static inline void spend(struct stacks *stacks, struct guest_thread *thread, uint64_t time)
{
	if (stacks->measure != STACKS_TIME)
		return;
	if (time <= thread->since)
		return;
	if (thread->calls.depth && !thread->is_stopped)
		stacks->tree->nodes[node_of(thread)].self += time - thread->since;
	thread->since = time;
}

static void unblock(struct stacks *stacks, struct guest_thread *thread, uint64_t time)
{
	if (stacks->measure == STACKS_BLOCKED && thread->reason && time > thread->since)
		add_leaf(stacks, thread, thread->reason, time - thread->since);
	thread->reason = 0;
}

static void block(struct stacks *stacks, struct guest_thread *thread, uint64_t time,
	const char *what, const char *name)
{
	char text[256];

	if (stacks->measure != STACKS_BLOCKED || thread->reason)
		return;
	snprintf(text, sizeof(text), *name ? "[%s %s]" : "[%s%s]", what, name);
	thread->reason = call_tree_name(stacks->tree, text, strlen(text));
	thread->since = time;
	stacks->has_failed |= !thread->reason;
}

static uint32_t name_of(
	struct stacks *stacks, const struct event_batch *batch, const struct event *event)
{
	struct method_name name = method_names_find(&stacks->methods, batch, event);
	size_t count = stacks->name_count;
	uint32_t number;

	if (name.id && name.id < stacks->name_count && stacks->names[name.id])
		return stacks->names[name.id];
	number = name.text ? call_tree_name(stacks->tree, name.text, name.length) : 0;
	stacks->has_failed |= !number;
	if (name.id >= stacks->name_count) {
		if (array_room(
			    &stacks->names, &stacks->name_count, name.id, sizeof(*stacks->names)))
			return number;
		memset(stacks->names + count, 0,
			(stacks->name_count - count) * sizeof(*stacks->names));
	}
	if (name.id)
		stacks->names[name.id] = number;
	return number;
}

/* The node of a process; 0: there is no room for it. */
static uint32_t process_node(struct stacks *stacks, const struct event_process *process)
{
	uint32_t name, node;
	char text[128];

	snprintf(text, sizeof(text), "%s (%" PRIu32 ")", process->execname, process->pid);
	name = call_tree_name(stacks->tree, text, strlen(text));
	stacks->has_failed |= !name;
	node = name ? call_tree_child(stacks->tree, 0, name) : UINT32_MAX;
	return node == UINT32_MAX ? 0 : node;
}

/* At the second process of a log, moves the stacks that there are to the first one. Nodes that are
 * left without anything are not shown. */
static void begin_processes(struct stacks *stacks, const struct event_process *first)
{
	struct call_tree *tree = stacks->tree;
	uint32_t count = tree->count, *moved = calloc(count, sizeof(*moved));

	stacks->names_processes = true;
	if (!moved) {
		stacks->has_failed = true;
		return;
	}
	moved[0] = process_node(stacks, first);
	for (uint32_t i = 1; i < count; i++) {
		uint32_t parent = moved[tree->nodes[i].parent];
		uint32_t node = call_tree_child(tree, parent, tree->nodes[i].name);

		moved[i] = node == UINT32_MAX ? parent : node;
		tree->nodes[moved[i]].self += tree->nodes[i].self;
		tree->nodes[i].self = 0;
	}
	for (size_t i = 0; i < stacks->threads.thread_count; i++) {
		struct guest_thread *thread = (void *)stacks->threads.threads[i];

		thread->base = moved[thread->base];
		for (uint32_t j = 0; j < thread->calls.depth; j++)
			thread->calls.frames[j].node = moved[thread->calls.frames[j].node];
	}
	free(moved);
}

/* The system's thread of an event of another runtime. Its number may have been that of a thread of
 * another process. */
static struct guest_thread *find_system_thread(
	struct stacks *stacks, const struct event_batch *batch, const struct event *event)
{
	struct guest_thread *thread = find_thread(stacks, event->tid, event->time);

	if (thread && stacks->names_processes &&
		(thread->process != event->process || !thread->base)) {
		method_stacks_exit(&stacks->threads, event->tid);
		thread = find_thread(stacks, event->tid, event->time);
	}
	if (!thread)
		return NULL;
	thread->is_held = true;
	thread->process = event->process;
	if (stacks->names_processes && !thread->base)
		thread->base = process_node(stacks, &batch->processes[event->process]);
	return thread;
}

/* A sample counts for the innermost frame; its stack is the VM's own. */
static void sample(
	struct stacks *stacks, const struct event_batch *batch, const struct event *event)
{
	const struct event_guest_stack *guest =
		batch->captures ? &batch->captures[event - batch->events].guest : NULL;
	uint32_t node = 0;

	if (!guest || !guest->count)
		return;
	if (stacks->names_processes)
		node = process_node(stacks, &batch->processes[event->process]);
	stacks->calls++;
	for (uint32_t i = guest->count; i-- > 0;) {
		const struct event names = {
			.arguments = guest->frames[i].names, .argument_count = 2};
		uint32_t next = call_tree_child(stacks->tree, node, name_of(stacks, batch, &names));

		if (next == UINT32_MAX)
			break;
		node = next;
	}
	stacks->tree->nodes[node].self += feed_number(event, 2);
}

static void count_entry(struct stacks *stacks, uint32_t node)
{
	size_t count = stacks->entry_count;

	if (node >= count) {
		if (array_room(&stacks->entries, &stacks->entry_count, node,
			    sizeof(*stacks->entries))) {
			stacks->has_failed = true;
			return;
		}
		memset(stacks->entries + count, 0,
			(stacks->entry_count - count) * sizeof(*stacks->entries));
	}
	stacks->entries[node]++;
}

static void enter(struct stacks *stacks, struct guest_thread *thread, uint32_t name)
{
	struct method_frame frame = {.class = name, .node = UINT32_MAX};

	if (!thread->calls.extra)
		frame.node = call_tree_child(stacks->tree, node_of(thread), name);
	stacks->calls++;
	if (!method_stacks_enter(
		    &stacks->threads, &thread->calls, frame.node == UINT32_MAX ? NULL : &frame))
		stacks->has_failed = true;
	if (stacks->measure == STACKS_CALLS)
		stacks->tree->nodes[node_of(thread)].self++;
	if (stacks->counts_entries)
		count_entry(stacks, node_of(thread));
}

/* ---- allocations ---- */

static void note_os_thread(
	struct stacks *stacks, const struct guest_thread *thread, const struct event *event)
{
	if (stacks->measure == STACKS_BYTES &&
		!method_stacks_run(&stacks->threads, event->tid, thread->calls.number))
		stacks->has_failed = true;
}

static void allocate(struct stacks *stacks, enum stacks_role role, const struct event_batch *batch,
	const struct event *event)
{
	static const char *const kinds[] = {
		[ROLE_ARRAY] = "(array)", [ROLE_HASH] = "(hash)", [ROLE_STRING] = "(string)"};
	struct guest_thread *thread = NULL;
	uint32_t length;
	const char *class;

	if (stacks->measure != STACKS_BYTES)
		return;
	if (role == ROLE_OBJECT) {
		class = feed_text(batch, event, 0, &length);
		thread = find_thread(stacks, feed_number(event, 4), event->time);
		add_leaf(stacks, thread, call_tree_name(stacks->tree, class, length),
			feed_number(event, 1));
		return;
	}
	class = kinds[role];
	if (event->argument_count > 5) {
		thread = find_thread(stacks, feed_number(event, 5), event->time);
	} else { /* a log from before these probes named the thread */
		thread = (void *)method_stacks_running(&stacks->threads, event->tid);
	}
	add_leaf(stacks, thread, call_tree_name(stacks->tree, class, strlen(class)),
		feed_number(event, 3));
}

/* ---- events ---- */

static void take_scheduling(struct stacks *stacks, enum stacks_role role,
	const struct event_batch *batch, const struct event *event)
{
	struct guest_thread *thread = find_thread(stacks, feed_number(event, 1), event->time);
	uint64_t status = feed_number(event, 2);
	uint32_t length;

	if (!thread)
		return;
	spend(stacks, thread, event->time);
	switch (role) {
	case ROLE_RUN:
		note_os_thread(stacks, thread, event);
		unblock(stacks, thread, event->time);
		thread->is_stopped = false;
		break;
	case ROLE_STOP:
		thread->is_stopped = true;
		if (status >= 6)
			block(stacks, thread, event->time, stop_reason_text(status), "");
		break;
	case ROLE_LOCK_WAIT:
		block(stacks, thread, event->time, "lock", feed_text(batch, event, 3, &length));
		break;
	case ROLE_PARK:
		block(stacks, thread, event->time, "wait", feed_text(batch, event, 2, &length));
		break;
	case ROLE_LOCK_ACQUIRED:
	case ROLE_UNPARK:
		if (!thread->is_stopped)
			unblock(stacks, thread, event->time);
		break;
	default:
		unblock(stacks, thread, event->time);
		method_stacks_exit(&stacks->threads, thread->calls.number);
	}
}

/* Ends all stacks at a time, which is not after that of the latest event. */
static void forget_stacks(struct stacks *stacks, uint64_t time)
{
	for (size_t i = 0; i < stacks->threads.thread_count; i++) {
		struct guest_thread *thread = (void *)stacks->threads.threads[i];

		if (!thread->is_held)
			spend(stacks, thread, time);
		unblock(stacks, thread, time);
		thread->is_stopped = false;
	}
	method_stacks_forget(&stacks->threads);
}

/* ---- losses ---- */

static void take_losses(struct stacks *stacks, const struct event_batch *batch)
{
	for (size_t i = 0; i < batch->loss_count; i++) {
		const struct event_loss *loss = &batch->losses[i];

		stacks->lost += loss->count;
		loss_gaps_add(&stacks->gaps, loss->since ? loss->since : stacks->latest,
			loss->until ? loss->until : stacks->latest);
	}
}

/* The time in which events were lost is a frame of its own, beside the stacks of before and after.
 */
static void count_gap(struct stacks *stacks, uint64_t since, uint64_t until)
{
	static const char name[] = "[events lost]";

	if (stacks->measure == STACKS_TIME && !stacks->is_sampled && until > since)
		add_leaf(stacks, NULL, call_tree_name(stacks->tree, name, strlen(name)),
			until - since);
}

/*
 * Whether the event can be used: in a time in which events were lost it would be taken for the
 * wrong thing, such as a call for one within a call whose end is lost.
 */
static bool is_sound(struct stacks *stacks, uint64_t time)
{
	uint64_t before = stacks->gaps.until;

	if (loss_gaps_begin(&stacks->gaps, time)) {
		uint64_t since = stacks->gaps.since;

		forget_stacks(stacks, since);
		count_gap(stacks, since > before ? since : before, stacks->gaps.until);
	}
	return !loss_gaps_contain(&stacks->gaps, time);
}

static inline void take_call(struct stacks *stacks, struct guest_thread *thread, uint64_t time,
	uint32_t name, bool is_entry)
{
	call_cost_take(&stacks->cost, thread->latest ? time - thread->latest : 0);
	thread->latest = time;
	spend(stacks, thread, time);
	if (is_entry)
		enter(stacks, thread, name);
	else
		method_stacks_leave(&thread->calls, name, 0);
}

bool stacks_batch(struct stacks *stacks, const struct feed *feed, const struct event_batch *batch)
{
	struct guest_thread *thread;

	take_losses(stacks, batch);
	if (batch->process_count > 1 && !stacks->names_processes)
		begin_processes(stacks, &batch->processes[0]);
	for (size_t i = 0; i < batch->event_count; i++) {
		const struct event *event = &batch->events[i];
		enum stacks_role role = (enum stacks_role)feed_role(feed, event);

		if (event->time > stacks->latest)
			stacks->latest = event->time;
		if (role == ROLE_SAMPLE) {
			stacks->is_sampled = true;
			sample(stacks, batch, event);
			continue;
		}
		if (!is_sound(stacks, event->time))
			continue;
		if (role > ROLE_RETURN) {
			if (role >= ROLE_OBJECT)
				allocate(stacks, role, batch, event);
			else
				take_scheduling(stacks, role, batch, event);
			continue;
		}
		thread = feed->has_other_calls
			? find_system_thread(stacks, batch, event)
			: find_thread(stacks, feed_number(event, 4), event->time);
		if (!thread)
			return false;
		note_os_thread(stacks, thread, event);
		take_call(stacks, thread, event->time, name_of(stacks, batch, event),
			role == ROLE_ENTRY);
	}
	return !stacks->has_failed;
}

/* ---- calls by themselves ---- */

void stacks_count_entries(struct stacks *stacks)
{
	stacks->counts_entries = true;
}

uint64_t stacks_take_entries(struct stacks *stacks, uint32_t node)
{
	uint64_t count = node < stacks->entry_count ? stacks->entries[node] : 0;

	if (count)
		stacks->entries[node] = 0;
	return count;
}

bool stacks_call(
	struct stacks *stacks, uint32_t number, uint64_t time, uint32_t name, bool is_entry)
{
	struct guest_thread *thread = find_thread(stacks, number, time);

	if (time > stacks->latest)
		stacks->latest = time;
	if (thread)
		take_call(stacks, thread, time, name, is_entry);
	return !stacks->has_failed;
}

bool stacks_begin_thread(struct stacks *stacks, uint32_t number, uint64_t time, uint32_t base)
{
	struct guest_thread *thread;

	method_stacks_exit(&stacks->threads, number);
	thread = find_thread(stacks, number, time);
	if (thread)
		thread->base = base;
	return thread;
}

void stacks_end_thread(struct stacks *stacks, uint32_t number)
{
	method_stacks_exit(&stacks->threads, number);
}

void stacks_hold_thread(struct stacks *stacks, uint32_t number)
{
	struct guest_thread *thread = (void *)method_stacks_find(&stacks->threads, number);

	if (thread)
		thread->is_held = true;
}

void stacks_spend(struct stacks *stacks, uint64_t time)
{
	for (size_t i = 0; i < stacks->threads.thread_count; i++) {
		struct guest_thread *thread = (void *)stacks->threads.threads[i];

		if (!thread->is_held)
			spend(stacks, thread, time);
	}
	if (time > stacks->latest)
		stacks->latest = time;
}

void stacks_lose(struct stacks *stacks)
{
	forget_stacks(stacks, stacks->latest);
}

uint64_t stacks_finish(struct stacks *stacks)
{
	is_sound(stacks, stacks->latest);
	forget_stacks(stacks, stacks->latest);
	return stacks->calls;
}

const struct call_cost *stacks_cost(const struct stacks *stacks)
{
	return &stacks->cost;
}

uint64_t stacks_lost(const struct stacks *stacks)
{
	return stacks->lost;
}
