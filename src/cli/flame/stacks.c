/* stacks.c: see stacks.h. */
#include "cli/flame/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/method_names.h"
#include "cli/stop_reason.h"
#include "source/loss_gaps.h"

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
	uint32_t number;
	uint32_t node;   /* of its stack */
	uint32_t extra;  /* frames above that, for which the tree has no room */
	uint32_t reason; /* name of what blocks it; 0: it is not blocked */
	bool is_stopped; /* by thread-stop */
	uint64_t since;  /* time up to which its time has been counted, or since it is blocked */
};

/* The guest thread that an OS thread runs: allocations without a guest thread are its own. */
struct os_thread {
	uint32_t tid;
	struct guest_thread *guest;
};

struct stacks {
	struct call_tree *tree;
	enum stacks_measure measure;
	struct method_names methods;
	uint32_t *names; /* by a method name's id: the tree's name, 0: not asked yet */
	size_t name_count;
	struct guest_thread **slots; /* open addressing by number */
	size_t slot_count, thread_count;
	struct guest_thread *recent;
	struct os_thread *os_threads;
	size_t os_thread_count;
	struct loss_gaps gaps;
	uint64_t latest, calls, lost;
	bool has_failed;
};

struct stacks *stacks_new(
	struct call_tree *tree, enum stacks_measure measure, const struct feed *feed)
{
	struct stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->tree = tree;
	stacks->measure = measure;
	stacks->latest = feed->source->start;
	return stacks;
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	for (size_t i = 0; i < stacks->slot_count; i++)
		free(stacks->slots[i]);
	loss_gaps_free(&stacks->gaps);
	method_names_free(&stacks->methods);
	free(stacks->slots);
	free(stacks->names);
	free(stacks->os_threads);
	free(stacks);
}

static inline size_t hash(uint32_t number)
{
	return (number * UINT64_C(0x9e3779b97f4a7c15)) >> 32;
}

static bool grow_threads(struct stacks *stacks)
{
	size_t count = stacks->slot_count ? stacks->slot_count * 2 : 64;
	struct guest_thread **slots = calloc(count, sizeof(struct guest_thread *));

	if (!slots)
		return false;
	for (size_t i = 0; i < stacks->slot_count; i++) {
		size_t at;
		if (!stacks->slots[i])
			continue;
		at = hash(stacks->slots[i]->number) & (count - 1);
		while (slots[at])
			at = (at + 1) & (count - 1);
		slots[at] = stacks->slots[i];
	}
	free(stacks->slots);
	stacks->slots = slots;
	stacks->slot_count = count;
	return true;
}

static struct guest_thread *find_thread(struct stacks *stacks, uint64_t wanted, uint64_t time)
{
	uint32_t number = (uint32_t)wanted;
	struct guest_thread *thread = stacks->recent;
	size_t at;

	if (thread && thread->number == number)
		return thread;
	if (stacks->thread_count * 2 >= stacks->slot_count && !grow_threads(stacks))
		goto failed;
	at = hash(number) & (stacks->slot_count - 1);
	while ((thread = stacks->slots[at]) && thread->number != number)
		at = (at + 1) & (stacks->slot_count - 1);
	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			goto failed;
		thread->number = number;
		thread->since = time;
		stacks->slots[at] = thread;
		stacks->thread_count++;
	}
	stacks->recent = thread;
	return thread;
failed:
	stacks->has_failed = true;
	return NULL;
}

/* Removes a thread that has ended; those after it in its run of slots are placed again. */
static void forget_thread(struct stacks *stacks, struct guest_thread *thread)
{
	size_t mask = stacks->slot_count - 1, at = hash(thread->number) & mask, place;

	while (stacks->slots[at] != thread)
		at = (at + 1) & mask;
	stacks->slots[at] = NULL;
	stacks->thread_count--;
	stacks->recent = NULL;
	for (size_t i = 0; i < stacks->os_thread_count; i++)
		if (stacks->os_threads[i].guest == thread)
			stacks->os_threads[i].guest = NULL;
	free(thread);
	for (at = (at + 1) & mask; stacks->slots[at]; at = (at + 1) & mask) {
		struct guest_thread *moved = stacks->slots[at];
		stacks->slots[at] = NULL;
		place = hash(moved->number) & mask;
		while (stacks->slots[place])
			place = (place + 1) & mask;
		stacks->slots[place] = moved;
	}
}

/* ---- what is measured ---- */

static void add_leaf(
	struct stacks *stacks, const struct guest_thread *thread, uint32_t name, uint64_t amount)
{
	uint32_t node = thread ? thread->node : 0;
	uint32_t leaf = name ? call_tree_child(stacks->tree, node, name) : UINT32_MAX;

	stacks->tree->nodes[leaf == UINT32_MAX ? node : leaf].self += amount;
}

/* Counts the time since it was last counted for the frame that the thread was in. */
static inline void spend(struct stacks *stacks, struct guest_thread *thread, uint64_t time)
{
	if (stacks->measure != STACKS_TIME)
		return;
	if (thread->node && !thread->is_stopped && time > thread->since)
		stacks->tree->nodes[thread->node].self += time - thread->since;
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
	uint32_t number, *grown;
	size_t count;

	if (name.id && name.id < stacks->name_count && stacks->names[name.id])
		return stacks->names[name.id];
	number = name.text ? call_tree_name(stacks->tree, name.text, name.length) : 0;
	stacks->has_failed |= !number;
	if (name.id >= stacks->name_count) {
		count = (size_t)name.id * 2 + 256;
		grown = realloc(stacks->names, count * sizeof(*grown));
		if (!grown)
			return number;
		memset(grown + stacks->name_count, 0,
			(count - stacks->name_count) * sizeof(*grown));
		stacks->names = grown;
		stacks->name_count = count;
	}
	if (name.id)
		stacks->names[name.id] = number;
	return number;
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

static void enter(struct stacks *stacks, struct guest_thread *thread, uint32_t name)
{
	uint32_t node =
		thread->extra ? UINT32_MAX : call_tree_child(stacks->tree, thread->node, name);

	stacks->calls++;
	if (node == UINT32_MAX)
		thread->extra++;
	else
		thread->node = node;
	if (stacks->measure == STACKS_CALLS)
		stacks->tree->nodes[thread->node].self++;
}

/* Events may have been lost: what a return skips has ended, and what never began does not end. */
static void leave(struct stacks *stacks, struct guest_thread *thread, uint32_t name)
{
	const struct call_node *nodes = stacks->tree->nodes;
	uint32_t node = thread->node;

	if (thread->extra) {
		thread->extra--;
		return;
	}
	while (node && nodes[node].name != name)
		node = nodes[node].parent;
	if (node)
		thread->node = nodes[node].parent;
}

/* ---- allocations ---- */

static struct os_thread *find_os_thread(struct stacks *stacks, uint32_t tid)
{
	struct os_thread *grown;

	for (size_t i = 0; i < stacks->os_thread_count; i++)
		if (stacks->os_threads[i].tid == tid)
			return &stacks->os_threads[i];
	grown = realloc(stacks->os_threads, (stacks->os_thread_count + 1) * sizeof(*grown));
	if (!grown) {
		stacks->has_failed = true;
		return NULL;
	}
	stacks->os_threads = grown;
	grown += stacks->os_thread_count++;
	*grown = (struct os_thread){tid, NULL};
	return grown;
}

static void note_os_thread(
	struct stacks *stacks, struct guest_thread *thread, const struct event *event)
{
	struct os_thread *os_thread;

	if (stacks->measure != STACKS_BYTES)
		return;
	os_thread = find_os_thread(stacks, event->tid);
	if (os_thread)
		os_thread->guest = thread;
}

static void allocate(struct stacks *stacks, enum stacks_role role, const struct event_batch *batch,
	const struct event *event)
{
	static const char *const kinds[] = {
		[ROLE_ARRAY] = "(array)", [ROLE_HASH] = "(hash)", [ROLE_STRING] = "(string)"};
	struct guest_thread *thread = NULL;
	struct os_thread *os_thread;
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
		os_thread = find_os_thread(stacks, event->tid);
		thread = os_thread ? os_thread->guest : NULL;
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
		forget_thread(stacks, thread);
	}
}

/* Ends all stacks at a time, which is not after that of the latest event. */
static void forget_stacks(struct stacks *stacks, uint64_t time)
{
	for (size_t i = 0; i < stacks->slot_count; i++) {
		struct guest_thread *thread = stacks->slots[i];
		if (!thread)
			continue;
		spend(stacks, thread, time);
		unblock(stacks, thread, time);
		thread->node = thread->extra = 0;
		thread->is_stopped = false;
	}
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

	if (stacks->measure == STACKS_TIME && until > since)
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

bool stacks_batch(struct stacks *stacks, const struct feed *feed, const struct event_batch *batch)
{
	struct guest_thread *thread;

	take_losses(stacks, batch);
	for (size_t i = 0; i < batch->event_count; i++) {
		const struct event *event = &batch->events[i];
		enum stacks_role role = (enum stacks_role)feed_role(feed, event);

		if (event->time > stacks->latest)
			stacks->latest = event->time;
		if (role == ROLE_SAMPLE) {
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
		thread = find_thread(stacks, feed_number(event, 4), event->time);
		if (!thread)
			return false;
		note_os_thread(stacks, thread, event);
		spend(stacks, thread, event->time);
		if (role == ROLE_ENTRY)
			enter(stacks, thread, name_of(stacks, batch, event));
		else
			leave(stacks, thread, name_of(stacks, batch, event));
	}
	return !stacks->has_failed;
}

uint64_t stacks_finish(struct stacks *stacks)
{
	is_sound(stacks, stacks->latest);
	forget_stacks(stacks, stacks->latest);
	return stacks->calls;
}

uint64_t stacks_lost(const struct stacks *stacks)
{
	return stacks->lost;
}
