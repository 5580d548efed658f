/*
 * process_batch.c: see process_batch.h. A record whose probe is not known yet ends a batch: it and
 * all later ones wait until the probe has joined. The clock is read before the ring, as in
 * machine_feed.c.
 */
#include "kernel/process/process_batch.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/arena.h"
#include "base/debug.h"
#include "kernel/process/new_sites.h"
#include "kernel/process/process_source_private.h"
#include "kernel/process/shared_files.h"
#include "kernel/process/source_members.h"
#include "kernel/process/source_process.h"

enum {
	BATCH_EVENTS = 8192,
	IDLE_MS = 20 /* at most, if no events come; the time doubles with each reading */
};

/* Gives the batch a list of its processes that later ones do not move. Returns 0 or -ENOMEM. */
static int list_processes(struct kernel_source *kernel, struct event_batch *batch)
{
	const struct kernel_shown *shown = &kernel->shown;

	while (kernel->listed_capacity < shown->count)
		if (array_room(&kernel->listed, &kernel->listed_capacity, kernel->listed_capacity,
			    sizeof(*kernel->listed)))
			return -ENOMEM;
	memcpy(kernel->listed, shown->list, shown->count * sizeof(*kernel->listed));
	batch->processes = kernel->listed;
	batch->process_count = shown->count;
	return 0;
}

/* Finds the probe of a record. Returns false if the record is the first of its process, which is
 * dealt with first. */
static bool find_probe(struct kernel_source *kernel, const struct kernel_group *group,
	const struct kernel_head *head, uint32_t *probe)
{
	*probe = kernel_group_site(group, head->site)->site->probe;
	return kernel->scope == KERNEL_SCOPE_NAMED ||
		kernel_shared_probe(kernel, group, head->site, head->pid, probe);
}

/* Returns what unwinds the stacks of the process that is shown with that index. */
static struct usdt_unwind *find_unwind(
	struct kernel_source *kernel, const struct kernel_group *group, size_t shown)
{
	return kernel->scope == KERNEL_SCOPE_NAMED ? kernel->processes[group->process]->unwind
						   : kernel_shown_unwind(&kernel->shown, shown);
}

/* Decodes the records that no later one can precede. Returns 0 or -ENOMEM. */
static int decode_batch(struct kernel_source *kernel, struct event_batch *batch)
{
	const struct kernel_site_names names = {kernel, kernel_source_probe};
	const struct kernel_record *record;
	long shown;

	kernel_decode_begin(&kernel->decoder);
	kernel_shown_begin(&kernel->shown);
	shown = kernel_shown_find(&kernel->shown, kernel->source.process.pid, NULL);
	batch->message_process = shown < 0 ? 0 : (uint32_t)shown;
	while (kernel->decoder.event_count < BATCH_EVENTS &&
		(record = kernel_records_peek(&kernel->records))) {
		const struct kernel_attached *site;
		struct kernel_group *group;
		const struct kernel_plan *plan;
		struct usdt_unwind *unwind = NULL;
		struct kernel_head head;
		uint32_t probe;
		bool is_plain;
		int result;

		memcpy(&head, record->bytes, sizeof(head));
		if (head.kind == KERNEL_RECORD_END) {
			kernel_records_take(&kernel->records);
			if (kernel_decode_end_of_thread(&kernel->decoder, record))
				return -ENOMEM;
			continue;
		}
		group = kernel_source_group(kernel, head.site);
		site = group ? kernel_group_site(group, head.site) : NULL;
		is_plain = head.kind == KERNEL_RECORD_UPDATE && !kernel_tally_has_stack(record);
		if (site && is_plain)
			probe = site->site->probe; /* its process does not matter */
		else if (site && !find_probe(kernel, group, &head, &probe))
			break; /* until it is known which probe this is */
		kernel_records_take(&kernel->records);
		if (!site)
			continue;
		if (probe == UINT32_MAX)
			continue;
		plan = &group->attachment.plans[site->plan];
		shown = kernel_shown_find(&kernel->shown, head.pid,
			head.kind == KERNEL_RECORD_EVENT ? kernel_decode_identity(plan, record)
							 : NULL);
		if (shown < 0)
			return -ENOMEM;
		if ((plan->user_frames || head.kind == KERNEL_RECORD_UPDATE) && !is_plain) {
			kernel_all_follow(kernel, head.pid, head.time);
			unwind = find_unwind(kernel, group, (size_t)shown);
		}
		if (head.kind == KERNEL_RECORD_UPDATE)
			result = kernel_decode_update(&kernel->decoder, record, probe,
				(uint32_t)shown,
				kernel_tally_update(&kernel->reader, &kernel->reduction, &names,
					record, unwind, &kernel->decoder.frames));
		else
			result = kernel_decode_add(
				&kernel->decoder, record, plan, probe, (uint32_t)shown, unwind);
		if (result)
			return result;
	}
	kernel_decode_end(&kernel->decoder, batch);
	return list_processes(kernel, batch);
}

static void add_loss(struct kernel_losses *losses, const struct event_loss *loss)
{
	if (loss->count &&
		!array_room(&losses->items, &losses->capacity, losses->count, sizeof(*loss)))
		losses->items[losses->count++] = *loss;
}

/* Adds losses of clauses that the programs carry out. */
static void add_reduced_losses(struct kernel_source *kernel)
{
	uint64_t stores;

	if (!kernel_tally_losses(&kernel->reader, &kernel->reduction, &stores, kernel->updates))
		return;
	add_loss(&kernel->losses,
		&(struct event_loss){
			.kind = EVENT_LOSS_VARIABLES, .count = stores, .probe = UINT32_MAX});
	for (uint32_t cpu = 0; cpu < kernel->reduction.cpu_count; cpu++)
		add_loss(&kernel->losses,
			&(struct event_loss){.kind = EVENT_LOSS_UPDATES,
				.count = kernel->updates[cpu],
				.probe = UINT32_MAX,
				.cpu = (uint16_t)cpu});
}

static void add_losses(struct kernel_source *kernel, struct event_batch *batch)
{
	kernel->losses.count = 0;
	add_reduced_losses(kernel);
	for (size_t i = 0; i < kernel->group_count; i++) {
		if (!kernel_group_losses(kernel->groups[i], &kernel->losses))
			continue;
		kernel_source_tell(kernel, kernel->groups[i]->target.pid,
			"events are lost because the memory of an argument cannot be read");
	}
	batch->losses = kernel->losses.items;
	batch->loss_count = kernel->losses.count;
}

/* Sets the message of a batch, about a process. */
static void show_message(struct kernel_source *kernel, struct event_batch *batch, uint32_t pid)
{
	long shown = kernel_shown_find(&kernel->shown, pid, NULL);

	list_processes(kernel, batch);
	batch->message_process = shown < 0 ? batch->message_process : (uint32_t)shown;
	batch->message = kernel->message;
}

/* Takes the next line for the user. */
static void take_message(struct kernel_source *kernel, struct event_batch *batch)
{
	uint32_t pid;

	if (!kernel->message_count)
		return;
	pid = kernel->messages[0].pid;
	memcpy(kernel->message, kernel->messages[0].text, sizeof(kernel->message));
	memmove(kernel->messages, kernel->messages + 1,
		--kernel->message_count * sizeof(*kernel->messages));
	show_message(kernel, batch, pid);
}

/* If no process is named, scripts write provider* for provider$target. */
static void name_all(char *message)
{
	static const char target[] = "$target";
	char *found = strstr(message, target);

	if (!found)
		return;
	*found = '*';
	memmove(found + 1, found + strlen(target), strlen(found + strlen(target)) + 1);
}

/* Says at the end why a probe has not fired, if that is known. */
static void tell_silence(struct kernel_source *kernel, struct event_batch *batch)
{
	for (size_t i = 0; i < kernel->group_count && !batch->message; i++) {
		const struct kernel_group *group = kernel->groups[i];

		if (!group->is_attached ||
			!kernel_silence_tell(&group->silence, group->counters, kernel->set,
				kernel->message, sizeof(kernel->message)))
			continue;
		if (kernel->scope == KERNEL_SCOPE_ALL)
			name_all(kernel->message);
		show_message(kernel, batch, group->target.pid);
	}
}

static bool is_last(const struct kernel_source *kernel)
{
	size_t ended = 0;

	if (kernel->scope != KERNEL_SCOPE_NAMED)
		return kernel->stopping || kernel_shared_is_over(kernel);
	for (size_t i = 0; i < kernel->process_count; i++)
		ended += kernel->processes[i]->has_ended;
	return kernel->stopping || ended == kernel->process_count;
}

/* Returns the time, ns, until the ring is read again. The first readings follow each other closely,
 * since the user of a new trace waits for its first line. */
static uint64_t next_wait(struct kernel_source *kernel, size_t events, bool complete)
{
	uint32_t wait_ms = events ? kernel->busy_ms : 2 * kernel->wait_ms;

	kernel->wait_ms = wait_ms < 1 ? 1 : wait_ms > IDLE_MS ? IDLE_MS : wait_ms;
	return complete ? kernel->wait_ms * CLOCK_NS_PER_MS : CLOCK_NS_PER_MS;
}

enum source_state kernel_batch_take(
	struct kernel_source *kernel, struct event_batch *batch, struct error *error)
{
	const struct kernel_record *left;
	bool last, complete;
	uint64_t now;

	kernel_later_take(kernel);
	kernel_member_poll(kernel);
	last = is_last(kernel);
	if (last) {
		kernel_member_detach(kernel, SIZE_MAX);
		kernel_ends_close(&kernel->ends);
	}
	now = clock_monotonic();
	complete = kernel_records_read(&kernel->records, last);
	kernel_heard_take(&kernel->heard);
	if (decode_batch(kernel, batch)) {
		error_set(error, ENOMEM, "the kernel source is out of memory");
		return SOURCE_BROKEN;
	}
	left = kernel_records_peek(&kernel->records);
	add_losses(kernel, batch);
	take_message(kernel, batch);
	batch->until = left ? left->time - 1 : last ? now : kernel->records.until;
	if (kernel->reduction.clocks >= 0) {
		kernel_cpu_time_follow(&kernel->times, now);
		kernel_reduce_tell_clocks(&kernel->reduction, kernel->times.distance,
			(int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic()));
	}
	batch->wall_offset = (int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic());
	/* waiting records may bring a message, and so may the end */
	kernel->ended = last && complete && !left && !batch->message &&
		(kernel->stopping || !kernel->notice_count);
	if (kernel->ended) {
		tell_silence(kernel, batch);
		debug_say(DEBUG_KERNEL, "%zu processes: %" PRIu64 " bytes of records",
			kernel->process_count, kernel->records.position);
	}
	kernel_all_settle(kernel, batch->until);
	kernel->due = left || batch->message
		? now
		: now + next_wait(kernel, batch->event_count, complete);
	return SOURCE_MORE;
}
