/*
 * merge.c: see merge.h.
 *
 * Each part's batch is passed on in slices. A slice's texts and processes belong to one part, so
 * neither handles nor indices of processes have to be translated for each event. An event may be
 * released when no other part can still deliver an earlier one: its next event is later, its
 * watermark has passed that time, it has ended, or it has been silent for too long
 * (SOURCE_SILENCE_NS).
 */
#include "source/merge.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/debug.h"
#include "usdt/process/process_info.h"

enum {
	OPENING_MS = 1000, /* time for the parts of an open merge to open their probes */
	STEP_MS = 10       /* between two checks whether they have */
};

/* The bound of a silent part moves with the clock. It is reported in steps of this length, because
 * a caller that got a batch from every call would never wait. */
#define SILENT_STEP_NS (SOURCE_SILENCE_NS / 10)

struct part {
	struct merge_part is;
	size_t number;
	struct event_batch batch;
	size_t at;      /* events of the batch that have been released */
	uint64_t until; /* its watermark */
	uint64_t heard; /* when it last reported anything */
	bool is_stopped;
	enum source_state state;
	struct error error;
};

struct merge {
	struct source source;
	int descriptor;      /* readable when any part is */
	uint64_t until;      /* the last watermark reported */
	int64_t wall_offset; /* from the last batch */
	bool is_open;        /* parts may still be added */
	bool is_enabled;
	bool had_news_only; /* in the last batch */
	size_t count, capacity, numbered;
	struct part **parts; /* those that have not been removed, in the order of their numbers */
};

static bool is_over(const struct part *part)
{
	return part->state == SOURCE_ENDED || part->state == SOURCE_BROKEN;
}

static bool has_events(const struct part *part)
{
	return part->at < part->batch.event_count;
}

/* The merge does not wait for parts that have reported nothing since this time. */
static uint64_t silence_begins(uint64_t present)
{
	return present > SOURCE_SILENCE_NS ? present - SOURCE_SILENCE_NS : 0;
}

/* Returns the time up to which the part will deliver no event outside its present batch. */
static uint64_t bound(const struct part *part, uint64_t present)
{
	uint64_t silent = silence_begins(present);

	if (is_over(part))
		return UINT64_MAX;
	return part->heard < silent && part->until < silent ? silent : part->until;
}

/* Asks a part for another batch when its present one is used up. */
static void refill(struct merge *merge, struct part *part, uint64_t present)
{
	part->at = 0;
	part->batch = (struct event_batch){0};
	part->state = source_next(part->is.source, 0, &part->batch, &part->error);
	if (part->state == SOURCE_MORE) {
		part->heard = present;
		merge->wall_offset = part->batch.wall_offset;
		if (part->batch.until > part->until)
			part->until = part->batch.until;
	} else {
		part->batch = (struct event_batch){0};
	}
	if (is_over(part))
		epoll_ctl(
			merge->descriptor, EPOLL_CTL_DEL, source_descriptor(part->is.source), NULL);
}

/* Returns the number of events of a part that may be released now. */
static size_t slice(const struct merge *merge, const struct part *part, uint64_t present)
{
	const struct event *events = part->batch.events + part->at;
	size_t count = part->batch.event_count - part->at;

	for (size_t i = 0; i < merge->count; i++) {
		const struct part *other = merge->parts[i];
		uint64_t limit;
		if (other == part)
			continue;
		limit = bound(other, present);
		if (has_events(other)) {
			limit = other->batch.events[other->at].time;
			/* Of two events at the same time, that of the part with the lower number
			 * comes first. */
			if (other->number < part->number) {
				if (!limit)
					return 0;
				limit--;
			}
		}
		while (count && events[count - 1].time > limit)
			count--;
	}
	return count;
}

/* Returns the time up to which every event will have been released once the slices have been. */
static uint64_t reached(const struct merge *merge, uint64_t present)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < merge->count; i++) {
		const struct part *part = merge->parts[i];
		uint64_t limit = bound(part, present);
		if (has_events(part)) {
			limit = part->batch.events[part->at].time;
			limit -= limit > 0;
		}
		if (limit < least)
			least = limit;
	}
	return least == UINT64_MAX ? 0 : least;
}

/* Returns the part whose next event is the earliest; NULL if none has an event. */
static struct part *earliest(struct merge *merge)
{
	struct part *first = NULL;

	for (size_t i = 0; i < merge->count; i++) {
		struct part *part = merge->parts[i];
		if (has_events(part) &&
			(!first ||
				part->batch.events[part->at].time <
					first->batch.events[first->at].time))
			first = part;
	}
	return first;
}

/* Returns true if a batch reports anything besides its events. */
static bool has_news(const struct part *part)
{
	return part->batch.loss_count || part->batch.message;
}

/*
 * Returns a part that has news but no events, or NULL. It goes before the others' events, because
 * its turn would not come as long as those keep coming. After every such batch it is the others'
 * turn.
 */
static struct part *with_news_only(const struct merge *merge)
{
	for (size_t i = 0; i < merge->count && !merge->had_news_only; i++)
		if (has_news(merge->parts[i]) && !has_events(merge->parts[i]))
			return merge->parts[i];
	return NULL;
}

/* Returns true if all parts have ended, except those that only accompany others. */
static bool only_companions(const struct merge *merge)
{
	for (size_t i = 0; i < merge->count; i++)
		if (!merge->parts[i]->is.source->accompanies && !is_over(merge->parts[i]))
			return false;
	return true;
}

/* Stops the parts that only accompany others, once all others have ended. */
static void stop_companions(struct merge *merge)
{
	if (merge->is_open || merge->source.accompanies || !only_companions(merge))
		return;
	for (size_t i = 0; i < merge->count; i++) {
		struct part *part = merge->parts[i];

		if (!part->is.source->accompanies || is_over(part) || part->is_stopped)
			continue;
		part->is_stopped = true;
		source_stop(part->is.source);
	}
}

/* Makes one step. Returns SOURCE_IDLE if nothing may be released yet. */
static enum source_state step(struct merge *merge, struct event_batch *batch)
{
	uint64_t present = clock_monotonic(), until;
	size_t count = 0, over = 0;
	struct part *part;

	for (size_t i = 0; i < merge->count; i++) {
		part = merge->parts[i];
		if (!has_events(part) && !has_news(part) && !is_over(part))
			refill(merge, part, present);
		over += is_over(part);
	}
	stop_companions(merge);
	/* Losses are reported once, with the first slice or by themselves. */
	part = with_news_only(merge);
	merge->had_news_only = part;
	if (!part)
		part = earliest(merge);
	if (part)
		count = slice(merge, part, present);
	for (size_t i = 0; i < merge->count && !count && !merge->had_news_only; i++) {
		if (has_news(merge->parts[i])) {
			part = merge->parts[i];
			break;
		}
	}
	if (part && (count || has_news(part))) {
		*batch = part->batch;
		batch->events = part->batch.events + part->at;
		if (part->batch.captures)
			batch->captures = part->batch.captures + part->at;
		batch->event_count = count;
		part->at += count;
		part->batch.loss_count = 0;
		part->batch.message = NULL;
		batch->until = merge->until = reached(merge, present);
		return SOURCE_MORE;
	}
	until = reached(merge, present);
	if (until > merge->until &&
		(until != silence_begins(present) || until - merge->until >= SILENT_STEP_NS)) {
		*batch = (struct event_batch){.until = until, .wall_offset = merge->wall_offset};
		merge->until = until;
		return SOURCE_MORE;
	}
	return over == merge->count && !merge->is_open ? SOURCE_ENDED : SOURCE_IDLE;
}

static enum source_state merge_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	struct merge *merge = (struct merge *)source;
	enum source_state state = step(merge, batch);
	struct epoll_event ready;

	(void)error; /* source_merge_ended() returns how each part ended */
	if (state == SOURCE_IDLE && timeout_ms &&
		epoll_wait(merge->descriptor, &ready, 1, timeout_ms) > 0)
		state = step(merge, batch);
	return state;
}

/* Returns true if a probe belongs to this part. A stream's probes may lie within the kernel's
 * range. */
static bool is_of(const struct merge *merge, const struct part *part, uint32_t probe)
{
	if (probe < part->is.first || probe >= part->is.end)
		return false;
	for (size_t i = 0; i < merge->count && part->is.source->kind == SOURCE_KIND_KERNEL; i++) {
		const struct merge_part *other = &merge->parts[i]->is;

		if (other->source->kind != SOURCE_KIND_KERNEL && probe >= other->first &&
			probe < other->end)
			return false;
	}
	return true;
}

/*
 * Returns the part that reports the ends of threads. The kernel reports them exactly, while a
 * stream only shows that a thread ended between its last event and the first one of its successor.
 * So a kernel source, if there is one, reports the ends of all threads. It is the last such source,
 * which attaches the programs for this after all others. Returns NULL if each stream reports its
 * own threads.
 */
static const struct part *teller(const struct merge *merge)
{
	const struct part *found = NULL;

	for (size_t i = 0; i < merge->count; i++)
		if (merge->parts[i]->is.source->kind == SOURCE_KIND_KERNEL)
			found = merge->parts[i];
	return found;
}

/*
 * Handles a part whose probes cannot be opened. In an open merge the others are traced without it.
 */
static int lose_part(struct merge *merge, struct part *part, int result, const struct error *error)
{
	if (!merge->is_open)
		return result;
	part->state = SOURCE_BROKEN;
	part->error = *error;
	epoll_ctl(merge->descriptor, EPOLL_CTL_DEL, source_descriptor(part->is.source), NULL);
	return 0;
}

static int enable_part(struct merge *merge, struct part *part, const struct source_request *request,
	struct error *error)
{
	struct source_request own = *request;
	int result = -ENOMEM;

	own.is_shared = true;
	own.at_once = true;
	own.tells_thread_ends &= !teller(merge) || teller(merge) == part;
	own.want_count = 0;
	own.wants = calloc(request->want_count + 1, sizeof(*own.wants));
	for (size_t i = 0; i < request->want_count && own.wants; i++)
		if (is_of(merge, part, request->wants[i].probe))
			own.wants[own.want_count++] = request->wants[i];
	if (own.wants)
		result = source_prepare(part->is.source, &own, error);
	else
		error_set(error, ENOMEM, "out of memory");
	for (size_t i = 0, at = 0; i < request->want_count && at < own.want_count; i++)
		if (is_of(merge, part, request->wants[i].probe))
			request->wants[i].reduced = own.wants[at++].reduced;
	free(own.wants);
	part->heard = clock_monotonic();
	return result ? lose_part(merge, part, result, error) : 0;
}

/*
 * Waits until the parts have opened their probes, with one time limit for all. In an open merge a
 * process that does not answer in time joins later, when it does.
 */
static int await_opened(struct merge *merge, struct error *error)
{
	const uint64_t limit = clock_monotonic() + OPENING_MS * CLOCK_NS_PER_MS;
	int result = 0;

	for (;;) {
		struct pollfd wait = {.fd = -1, .events = POLLIN};
		for (size_t i = 0; i < merge->count && !result; i++) {
			struct part *part = merge->parts[i];
			int opened = is_over(part) ? 0 : source_opened(part->is.source, error);
			if (opened == -EAGAIN)
				wait.fd = source_descriptor(part->is.source);
			else if (opened)
				result = lose_part(merge, part, opened, error);
		}
		if (result || wait.fd < 0 || (merge->is_open && clock_monotonic() >= limit))
			return result;
		poll(&wait, 1, STEP_MS);
	}
}

static void merge_fire(struct source *source, bool fires)
{
	struct merge *merge = (struct merge *)source;

	for (size_t i = 0; i < merge->count; i++)
		if (!fires || !is_over(merge->parts[i]))
			source_fire(merge->parts[i]->is.source, fires);
}

static int enable_parts(struct merge *merge, bool of_kernel, const struct source_request *request,
	struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < merge->count && !result; i++)
		if ((merge->parts[i]->is.source->kind == SOURCE_KIND_KERNEL) == of_kernel)
			result = enable_part(merge, merge->parts[i], request, error);
	return result ? result : await_opened(merge, error);
}

/*
 * A process may wait for its stream to be enabled, and must not run before the kernel is ready and
 * its probes fire.
 */
static int merge_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct merge *merge = (struct merge *)source;
	bool has_streams = false;
	int result;

	merge->is_enabled = true;
	merge->source.carried_count = 0; /* parts may free their texts from now on */
	result = enable_parts(merge, true, request, error);
	for (size_t i = 0; i < merge->count && !result; i++)
		has_streams |= merge->parts[i]->is.source->kind != SOURCE_KIND_KERNEL;
	if (!has_streams)
		return result;
	for (size_t i = 0; i < merge->count; i++)
		if (merge->parts[i]->is.source->kind == SOURCE_KIND_KERNEL &&
			!is_over(merge->parts[i]))
			source_fire(merge->parts[i]->is.source, true);
	return enable_parts(merge, false, request, error);
}

static void merge_collect(struct source *source, const struct partial_sink *sink)
{
	struct merge *merge = (struct merge *)source;

	for (size_t i = 0; i < merge->count; i++)
		source_collect(merge->parts[i]->is.source, sink);
}

static void merge_stop(struct source *source)
{
	struct merge *merge = (struct merge *)source;

	for (size_t i = 0; i < merge->count; i++) {
		struct part *part = merge->parts[i];

		if (is_over(part))
			continue;
		source_stop(part->is.source);
		if (source_opened(part->is.source, &part->error) == -EAGAIN)
			part->state = SOURCE_ENDED; /* it never opened, so it has no events */
	}
}

static int merge_descriptor(const struct source *source)
{
	return ((const struct merge *)source)->descriptor;
}

static uint64_t merge_due(const struct source *source)
{
	const struct merge *merge = (const struct merge *)source;
	uint64_t due = UINT64_MAX;
	bool waits = false;

	for (size_t i = 0; i < merge->count; i++) {
		const struct part *part = merge->parts[i];
		if (has_events(part))
			waits = true;
		else if (!is_over(part) && part->heard + SOURCE_SILENCE_NS < due)
			due = part->heard + SOURCE_SILENCE_NS;
	}
	return waits ? due : UINT64_MAX;
}

static struct source_capability merge_capability(const struct source *source, uint32_t probe)
{
	const struct merge *merge = (const struct merge *)source;

	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_part *part = &merge->parts[i]->is;
		if (probe >= part->first && probe < part->end)
			return source_capability(part->source, probe);
	}
	/* a probe that a part may bring that is added later; only streams can */
	return merge->is_open ? (struct source_capability){SOURCE_KIND_STREAM,
					source_kind_provides(SOURCE_KIND_STREAM)}
			      : (struct source_capability){SOURCE_KIND_NONE, 0};
}

static void merge_close(struct source *source)
{
	struct merge *merge = (struct merge *)source;

	for (size_t i = 0; i < merge->count; i++) {
		source_close(merge->parts[i]->is.source);
		free(merge->parts[i]);
	}
	close(merge->descriptor);
	free((void *)merge->source.carried);
	free(merge->parts);
	free(merge);
}

static const struct source_methods merge_methods = {
	.enable = merge_enable,
	.fire = merge_fire,
	.next = merge_next,
	.collect = merge_collect,
	.stop = merge_stop,
	.descriptor = merge_descriptor,
	.due = merge_due,
	.capability = merge_capability,
	.close = merge_close,
};

/* Adds the definitions that a part carries; the merge's own array points to the part's texts.
 * Returns 0 or a positive errno. */
static int collect_carried(struct merge *merge, const struct source *part)
{
	const size_t count = merge->source.carried_count + part->carried_count;
	struct d_carried *all;

	if (!part->carried_count)
		return 0;
	all = realloc((void *)merge->source.carried, count * sizeof(*all));
	if (!all)
		return ENOMEM;
	memcpy(all + merge->source.carried_count, part->carried,
		part->carried_count * sizeof(*all));
	merge->source.carried = all;
	merge->source.carried_count = count;
	return 0;
}

/* Adds a part at the end. Returns 0 or a positive errno. */
static int add_part(struct merge *merge, const struct merge_part *is, uint64_t until)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct part *part;

	if (array_room(&merge->parts, &merge->capacity, merge->count, sizeof(*merge->parts)))
		return ENOMEM;
	part = malloc(sizeof(*part));
	if (!part)
		return ENOMEM;
	*part = (struct part){.is = *is,
		.number = merge->numbered,
		.state = SOURCE_IDLE,
		.until = until,
		.heard = clock_monotonic()};
	if (epoll_ctl(merge->descriptor, EPOLL_CTL_ADD, source_descriptor(is->source), &event)) {
		free(part);
		return errno;
	}
	merge->source.accompanies &= is->source->accompanies;
	merge->numbered++;
	merge->parts[merge->count++] = part;
	return 0;
}

int source_merge_new(const struct merge_part *parts, size_t count, bool is_open,
	struct source **source, struct error *error)
{
	struct merge *merge = calloc(1, sizeof(*merge));
	int number = 0;

	*source = NULL;
	if (!merge)
		return error_set(error, ENOMEM, "out of memory");
	merge->source.methods = &merge_methods;
	merge->source.accompanies = count && !is_open;
	for (size_t i = 0; i < count; i++)
		merge->source.accompanies &= parts[i].source->accompanies;
	merge->is_open = is_open;
	merge->descriptor = epoll_create1(EPOLL_CLOEXEC);
	if (merge->descriptor < 0)
		number = errno;
	for (size_t i = 0; i < count && !number; i++)
		number = add_part(merge, &parts[i], 0);
	for (size_t i = 0; i < count && !number; i++)
		number = collect_carried(merge, parts[i].source);
	if (!number) {
		debug_say(DEBUG_MERGE, "%zu sources in one order", count);
		*source = &merge->source;
		return 0;
	}
	for (size_t i = 0; i < merge->count; i++)
		free(merge->parts[i]);
	if (merge->descriptor >= 0)
		close(merge->descriptor);
	free((void *)merge->source.carried);
	free(merge->parts);
	free(merge);
	return error_set(error, number, "several processes: %s", strerror(number));
}

int source_merge_add(struct source *source, const struct merge_part *part, uint64_t since,
	size_t *number, struct error *error)
{
	struct merge *merge = (struct merge *)source;
	int result;

	*number = merge->numbered;
	result = add_part(merge, part, since);
	if (result)
		return error_set(error, result, "several processes: %s", strerror(result));
	/* Only a script that has not been compiled yet uses definitions, and it may do without. */
	if (!merge->is_enabled)
		(void)collect_carried(merge, part->source);
	debug_say(DEBUG_MERGE, "source %zu joins %zu others", *number, merge->count - 1);
	return 0;
}

bool source_merge_tells_thread_ends(const struct source *source)
{
	const struct merge *merge = (const struct merge *)source;
	bool tells = source->tells_thread_ends;

	for (size_t i = 0; source->methods == &merge_methods && i < merge->count; i++)
		tells |= merge->parts[i]->is.source->tells_thread_ends;
	return tells;
}

void source_merge_settle(struct source *source)
{
	((struct merge *)source)->is_open = false;
}

size_t source_merge_live(const struct source *source)
{
	const struct merge *merge = (const struct merge *)source;
	size_t live = 0;

	for (size_t i = 0; i < merge->count; i++)
		live += !is_over(merge->parts[i]);
	return live;
}

bool source_merge_is_silent(const struct source *source, uint64_t since)
{
	const struct merge *merge = (const struct merge *)source;

	for (size_t i = 0; i < merge->count; i++) {
		const struct part *part = merge->parts[i];
		const struct source *is = part->is.source;

		if (!is_over(part) &&
			(is->kind != SOURCE_KIND_STREAM ||
				(part->heard >= since &&
					!process_info_is_stopped(is->process.pid))))
			return false;
	}
	return true;
}

bool source_merge_is_left(const struct source *source)
{
	return only_companions((const struct merge *)source);
}

/* Returns the index of a part, or merge->count if it has been removed. */
static size_t find_part(const struct merge *merge, size_t number)
{
	size_t i = 0;

	while (i < merge->count && merge->parts[i]->number != number)
		i++;
	return i;
}

bool source_merge_ended(const struct source *source, size_t number, enum source_state *state,
	const struct error **error)
{
	const struct merge *merge = (const struct merge *)source;
	size_t i = find_part(merge, number);

	if (i == merge->count)
		return false;
	*state = merge->parts[i]->state;
	*error = &merge->parts[i]->error;
	return is_over(merge->parts[i]);
}

void source_merge_remove(struct source *source, size_t number)
{
	struct merge *merge = (struct merge *)source;
	size_t i = find_part(merge, number);
	struct part *part = i < merge->count ? merge->parts[i] : NULL;

	if (!part || !is_over(part))
		return;
	merge->count--;
	memmove(&merge->parts[i], &merge->parts[i + 1], (merge->count - i) * sizeof(*merge->parts));
	source_close(part->is.source);
	free(part);
}
