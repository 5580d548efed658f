/*
 * kernel_source.c: see kernel_source.h. The records of all processes are in one ring
 * (kernel_records.h); which sites they come from is known by groups (kernel_group.h).
 */
#include "source/kernel/kernel_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/debug.h"
#include "source/kernel/kernel_cpu_time.h"
#include "source/kernel/kernel_decode.h"
#include "source/kernel/kernel_group.h"
#include "source/kernel/kernel_pid.h"
#include "source/kernel/kernel_process.h"
#include "source/kernel/kernel_records.h"
#include "source/kernel/kernel_reduce.h"
#include "source/kernel/kernel_shown.h"
#include "source/kernel/kernel_tally.h"
#include "source/kernel/kernel_usdt.h"
#include "source/kernel/kernel_watch.h"

enum {
	RING_BYTES = 4 << 20, /* as option bufsize has it by default */
	WAKE_PART = 2,        /* so much of the ring wakes us before our time: one half */
	BATCH_EVENTS = 8192,
	BUSY_MS = 5,   /* between two looks into the ring while events come */
	IDLE_MS = 20,  /* at most, if none come; the time doubles with each look */
	WAITS_MAX = 16 /* descriptors that are looked at at once */
};

/* What a descriptor that is waited for belongs to: a process's number, or one of these. */
#define WAIT_RING UINT64_MAX
#define WAIT_NOTICES (UINT64_MAX - 1)

struct kernel_source {
	struct source source;
	struct d_probe_set *set;
	struct d_asked *asked; /* in one block with its texts */
	size_t asked_count;
	struct bpf_features features;
	struct kernel_records records;
	struct kernel_group_ring ring;
	struct kernel_reduction reduction;
	struct kernel_reader reader; /* of what it aggregates */
	uint64_t *updates;           /* lost, by processor */
	struct kernel_process **processes;
	size_t process_count, process_capacity;
	struct kernel_shown shown; /* the processes as batches have them */
	struct kernel_cpu_time times;
	bool has_times;               /* they are open */
	struct kernel_group **groups; /* in the order of their sites' numbers */
	size_t group_count, group_capacity;
	struct kernel_watch *watch;    /* NULL: what processes load later is not traced */
	struct kernel_notice *notices; /* that have not been dealt with */
	size_t notice_count, notice_capacity;
	int wait; /* epoll: ring, notices and processes */
	bool stopping, ended, told_missed;
	bool has_told; /* the present message */
	uint64_t due;
	uint32_t wait_ms; /* between the last two looks */
	uint32_t busy_ms;
	struct kernel_decoder decoder;
	struct kernel_losses losses;
	uint32_t message_process;
	char message[1024];
};

static struct kernel_source *kernel_of(const struct source *source)
{
	return (struct kernel_source *)(uintptr_t)source;
}

/*
 * Closes the links of a process and its groups, or all links (number SIZE_MAX), at once because
 * each takes long.
 */
static void detach(struct kernel_source *kernel, size_t number)
{
	bool is_all = number == SIZE_MAX;
	size_t count = 0, room = kernel->process_count;
	int *links;

	for (size_t i = 0; i < kernel->group_count; i++)
		room += kernel->groups[i]->attachment.link_count;
	links = calloc(room + 1, sizeof(*links));
	for (size_t i = 0; i < kernel->process_count && links; i++) {
		if ((!is_all && i != number) || kernel->processes[i]->link < 0)
			continue;
		links[count++] = kernel->processes[i]->link;
		kernel->processes[i]->link = -1;
	}
	for (size_t i = 0; i < kernel->group_count; i++) {
		struct kernel_attachment *attachment = &kernel->groups[i]->attachment;

		if (!is_all && kernel->groups[i]->process != number)
			continue;
		for (size_t j = 0; j < attachment->link_count && links; j++)
			links[count++] = attachment->links[j];
		if (links)
			attachment->link_count = 0;
		else
			kernel_group_detach(kernel->groups[i]);
	}
	if (count)
		bpf_close_all(links, count);
	free(links);
}

static void kernel_close(struct source *source)
{
	struct kernel_source *kernel = kernel_of(source);

	kernel_watch_free(kernel->watch);
	detach(kernel, SIZE_MAX);
	for (size_t i = 0; i < kernel->group_count; i++)
		kernel_group_free(kernel->groups[i]);
	for (size_t i = 0; i < kernel->process_count; i++) {
		kernel_process_close(kernel->processes[i]);
		free(kernel->processes[i]);
	}
	kernel_tally_end(&kernel->reader, &kernel->reduction);
	kernel_reduce_free(&kernel->reduction);
	free(kernel->updates);
	kernel_records_close(&kernel->records);
	if (kernel->wait >= 0)
		close(kernel->wait);
	kernel_decode_free(&kernel->decoder);
	free(kernel->asked);
	free(kernel->processes);
	kernel_shown_free(&kernel->shown);
	if (kernel->has_times)
		kernel_cpu_time_close(&kernel->times);
	free(kernel->groups);
	free(kernel->losses.items);
	free(kernel->notices);
	free(kernel);
}

/* ---- enabling ---- */

static int watch(struct kernel_source *kernel, int descriptor, uint64_t number)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = number};

	return epoll_ctl(kernel->wait, EPOLL_CTL_ADD, descriptor, &event) ? -errno : 0;
}

/* A line for the user, with the next batch. */
__attribute__((format(printf, 3, 4))) static void tell(
	struct kernel_source *kernel, size_t process, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(kernel->message, sizeof(kernel->message), format, arguments);
	va_end(arguments);
	kernel->message_process = (uint32_t)process;
	kernel->has_told = false;
}

/* -ENOMEM. */
static int keep_notice(struct kernel_source *kernel, const struct kernel_notice *notice)
{
	if (array_room(&kernel->notices, &kernel->notice_capacity, kernel->notice_count,
		    sizeof(*notice)))
		return -ENOMEM;
	kernel->notices[kernel->notice_count++] = *notice;
	return 0;
}

/*
 * Watches what a process loads and executes from now on. Unless it has been stopped since it was
 * looked at, it may have loaded something meanwhile, so it is looked at again.
 */
static void watch_process(struct kernel_source *kernel, size_t number)
{
	struct kernel_process *process = kernel->processes[number];
	struct usdt_process *mapped = NULL;
	struct kernel_linker linker;
	struct error ignored;
	int result = usdt_process_map((pid_t)process->pid, &mapped, &ignored);
	bool has_linker = !result && kernel_linker_find(mapped, &linker);

	if (!result)
		result = kernel_watch_add(kernel->watch, process->pid, has_linker ? &linker : NULL,
			process->may_stop, &process->link);
	process->state = has_linker ? linker.state : 0;
	if (has_linker)
		close(linker.file);
	usdt_process_free(mapped);
	debug_say(DEBUG_KERNEL, "process %" PRIu32 " is %swatched", process->pid,
		result ? "not " : "");
	keep_notice(kernel,
		&(struct kernel_notice){.kind = KERNEL_NOTICE_OBJECTS, .pid = process->pid});
}

static void watch_all(struct kernel_source *kernel)
{
	struct error error;

	if (kernel_watch_new(&kernel->features, &kernel->watch, &error)) {
		tell(kernel, 0, "what it loads or executes from now on is not traced: %s",
			error.text);
		return;
	}
	watch(kernel, kernel_watch_descriptor(kernel->watch), WAIT_NOTICES);
	for (size_t i = 0; i < kernel->process_count; i++)
		watch_process(kernel, i);
}

/* Attaches to what is wanted of a group. */
static int attach_group(struct kernel_source *kernel, struct kernel_group *group,
	const struct source_request *request, struct error *error)
{
	const struct kernel_attachment *attachment = &group->attachment;
	int result;

	group->attachment.features = kernel->features;
	result = kernel_group_attach(group, kernel->set, request, &kernel->ring, kernel->message,
		sizeof(kernel->message), error);
	kernel->features = attachment->features; /* it may have found out more */
	for (size_t i = 0; i < attachment->plan_count && !result; i++) {
		const struct kernel_plan *plan = &attachment->plans[i];

		if (plan->user_frames && kernel_process_unwinds(kernel->processes[group->process]))
			result = error_set(error, ENOMEM, "process %" PRIu32 ": out of memory",
				group->target.pid);
		if (!plan->has_cpu_clock || kernel->has_times || result)
			continue;
		kernel->has_times = true;
		kernel->decoder.times = &kernel->times;
		result = kernel_cpu_time_open(&kernel->times, error);
	}
	return result;
}

/* Decides what the programs carry out themselves; nothing if maps are refused. */
static void reduce(struct kernel_source *kernel, const struct source_request *request)
{
	int result = kernel_reduce_begin(&kernel->reduction, request);

	if (!result)
		result = kernel_tally_begin(&kernel->reader, &kernel->reduction);
	kernel->updates = calloc(kernel->reduction.cpu_count + 1, sizeof(*kernel->updates));
	if (!result && kernel->updates)
		return;
	debug_say(DEBUG_KERNEL, "nothing is reduced: %s", strerror(-result));
	kernel_tally_end(&kernel->reader, &kernel->reduction);
	kernel_reduce_undo(&kernel->reduction, request);
}

static int attach_groups(
	struct kernel_source *kernel, const struct source_request *request, struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < kernel->group_count && !result; i++)
		result = attach_group(kernel, kernel->groups[i], request, error);
	return result;
}

static int kernel_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct kernel_source *kernel = kernel_of(source);
	uint32_t bytes = kernel_ring_bytes(
		request->program ? request->program->options.bufsize : RING_BYTES);
	int result = kernel_records_open(&kernel->records, bytes);

	if (!result)
		result = watch(kernel, kernel->records.ring.map, WAIT_RING);
	if (result)
		return error_set(error, -result, "the kernel refuses a BPF ring buffer: %s",
			strerror(-result));
	if (request->latency && request->latency < BUSY_MS * CLOCK_NS_PER_MS)
		kernel->busy_ms = (uint32_t)(request->latency / CLOCK_NS_PER_MS);
	kernel->ring = (struct kernel_group_ring){.map = kernel->records.ring.map,
		.wake_bytes = bytes / WAKE_PART,
		.reduction = &kernel->reduction};
	reduce(kernel, request);
	result = attach_groups(kernel, request, error);
	if (result && kernel->reduction.set_count) {
		struct error reason = *error;

		/* records of events may be possible even so */
		for (size_t i = 0; i < kernel->group_count; i++)
			kernel_group_reset(kernel->groups[i]);
		kernel->ring.next_site = 0;
		kernel_tally_end(&kernel->reader, &kernel->reduction);
		kernel_reduce_undo(&kernel->reduction, request);
		result = attach_groups(kernel, request, error);
		if (!result)
			debug_say(DEBUG_KERNEL, "nothing is reduced: %s", reason.text);
	}
	debug_say(DEBUG_KERNEL, "%zu instructions that aggregate are carried out by programs",
		kernel->reduction.tally_count);
	if (!result)
		watch_all(kernel);
	kernel->due = clock_monotonic();
	return result;
}

/* ---- reading ---- */

/* The group of a site's number; NULL: none. */
static struct kernel_group *find_group(const struct kernel_source *kernel, uint32_t site)
{
	size_t low = 0, high = kernel->group_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kernel->groups[middle]->attachment.maps.first_site <= site)
			low = middle + 1;
		else
			high = middle;
	}
	/* groups without sites have the number of the next one */
	return low ? kernel->groups[low - 1] : NULL;
}

/* Decodes the records that no later one can precede. -ENOMEM. */
static int decode_batch(struct kernel_source *kernel, struct event_batch *batch)
{
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
		struct kernel_head head;

		memcpy(&head, record->bytes, sizeof(head));
		kernel_records_take(&kernel->records);
		group = find_group(kernel, head.site);
		site = group ? kernel_group_site(group, head.site) : NULL;
		if (!site)
			continue;
		kernel_silence_fired(
			&group->silence, head.site - group->attachment.maps.first_site);
		plan = &group->attachment.plans[site->plan];
		shown = kernel_shown_find(&kernel->shown, head.pid,
			head.kind == KERNEL_RECORD_EVENT ? kernel_decode_identity(plan, record)
							 : NULL);
		if (shown < 0 ||
			kernel_decode_add(&kernel->decoder, record, plan, site->site->probe,
				(uint32_t)shown, kernel->processes[group->process]->unwind))
			return -ENOMEM;
	}
	kernel_decode_end(&kernel->decoder, batch);
	batch->processes = kernel->shown.list;
	batch->process_count = kernel->shown.count;
	return 0;
}

static void add_loss(struct kernel_losses *losses, const struct event_loss *loss)
{
	if (loss->count &&
		!array_room(&losses->items, &losses->capacity, losses->count, sizeof(*loss)))
		losses->items[losses->count++] = *loss;
}

/* Losses of clauses that the programs carry out. */
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
		tell(kernel, kernel->groups[i]->process,
			"events are lost because the memory of an argument cannot be read");
	}
	batch->losses = kernel->losses.items;
	batch->loss_count = kernel->losses.count;
}

/* The message of a batch, about a process. */
static void show_message(struct kernel_source *kernel, struct event_batch *batch, uint32_t pid)
{
	long shown = kernel_shown_find(&kernel->shown, pid, NULL);

	batch->processes = kernel->shown.list; /* it may have moved */
	batch->process_count = kernel->shown.count;
	batch->message_process = shown < 0 ? batch->message_process : (uint32_t)shown;
	batch->message = kernel->message;
}

/* At the end: why a probe has not fired, where that is known. */
static void tell_silence(struct kernel_source *kernel, struct event_batch *batch)
{
	for (size_t i = 0; i < kernel->group_count && !batch->message; i++) {
		const struct kernel_group *group = kernel->groups[i];

		if (!group->is_attached || group->counted_lost ||
			!kernel_silence_tell(&group->silence, kernel->set, kernel->message,
				sizeof(kernel->message)))
			continue;
		show_message(kernel, batch, group->target.pid);
	}
}

/* ---- the source ---- */

/* Detaches what is attached to a process, which has ended, or executes another program. */
static void end_process(struct kernel_source *kernel, size_t number)
{
	struct kernel_process *process = kernel->processes[number];

	if (process->descriptor >= 0)
		epoll_ctl(kernel->wait, EPOLL_CTL_DEL, process->descriptor, NULL);
	process->has_ended = true;
	detach(kernel, number);
}

/* The number of a process that has not ended; -1: there is none with this id. */
static long find_process(const struct kernel_source *kernel, uint32_t pid)
{
	for (size_t i = kernel->process_count; i-- > 0;)
		if (kernel->processes[i]->pid == pid && !kernel->processes[i]->has_ended)
			return (long)i;
	return -1;
}

/* Takes what has been reported. */
static void take_notices(struct kernel_source *kernel)
{
	struct kernel_notice notice;

	if (!kernel->watch)
		return;
	while (kernel_watch_next(kernel->watch, &notice))
		if (keep_notice(kernel, &notice))
			kernel_watch_continue(kernel->watch, &notice);
	if (!kernel->told_missed && kernel_watch_has_missed(kernel->watch)) {
		kernel->told_missed = true;
		tell(kernel, 0,
			"some of the libraries that it loads may not be traced: there were too "
			"many at once");
	}
}

/* Notes which processes have ended. */
static void poll_processes(struct kernel_source *kernel)
{
	struct epoll_event events[WAITS_MAX];
	int count = epoll_wait(kernel->wait, events, WAITS_MAX, 0);

	for (int i = 0; i < count; i++)
		if (events[i].data.u64 < kernel->process_count)
			end_process(kernel, events[i].data.u64);
	for (size_t i = 0; i < kernel->process_count; i++)
		if (!kernel->processes[i]->has_ended && kernel->processes[i]->descriptor < 0 &&
			kernel_process_has_ended(kernel->processes[i]))
			end_process(kernel, i);
}

static bool is_last(const struct kernel_source *kernel)
{
	size_t ended = 0;

	for (size_t i = 0; i < kernel->process_count; i++)
		ended += kernel->processes[i]->has_ended;
	return kernel->stopping || ended == kernel->process_count;
}

/* ns until the ring is looked into again. The first looks follow each other closely, since whoever
 * begins a trace waits for its first line. */
static uint64_t next_wait(struct kernel_source *kernel, size_t events, bool complete)
{
	uint32_t wait_ms = events ? kernel->busy_ms : 2 * kernel->wait_ms;

	kernel->wait_ms = wait_ms < 1 ? 1 : wait_ms > IDLE_MS ? IDLE_MS : wait_ms;
	return complete ? kernel->wait_ms * CLOCK_NS_PER_MS : CLOCK_NS_PER_MS;
}

static enum source_state take_batch(
	struct kernel_source *kernel, struct event_batch *batch, struct error *error)
{
	const struct kernel_record *left;
	bool last, complete;
	uint64_t now;

	take_notices(kernel);
	poll_processes(kernel);
	last = is_last(kernel);
	if (last)
		detach(kernel, SIZE_MAX);
	now = clock_monotonic();
	complete = kernel_records_read(&kernel->records, last);
	if (decode_batch(kernel, batch)) {
		error_set(error, ENOMEM, "the kernel source is out of memory");
		return SOURCE_BROKEN;
	}
	left = kernel_records_peek(&kernel->records);
	add_losses(kernel, batch);
	if (*kernel->message && !kernel->has_told)
		show_message(kernel, batch, kernel->processes[kernel->message_process]->pid);
	kernel->has_told |= batch->message != NULL;
	batch->until = left ? left->time - 1 : last ? now : kernel->records.until;
	batch->wall_offset = (int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic());
	kernel->ended = last && complete && !left;
	if (kernel->ended) {
		tell_silence(kernel, batch);
		debug_say(DEBUG_KERNEL, "%zu processes: %" PRIu64 " bytes of records",
			kernel->process_count, kernel->records.position);
	}
	kernel->due = left ? now : now + next_wait(kernel, batch->event_count, complete);
	return SOURCE_MORE;
}

static enum source_state kernel_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	struct kernel_source *kernel = kernel_of(source);
	uint64_t now = clock_monotonic();
	struct epoll_event event;
	int wait_ms = 0;

	*batch = (struct event_batch){0};
	if (kernel->ended)
		return SOURCE_ENDED;
	if (kernel->due > now && !kernel->stopping) {
		wait_ms = (int)((kernel->due - now + CLOCK_NS_PER_MS - 1) / CLOCK_NS_PER_MS);
		if (timeout_ms >= 0 && timeout_ms < wait_ms)
			wait_ms = timeout_ms;
		if (epoll_wait(kernel->wait, &event, 1, wait_ms) <= 0 &&
			clock_monotonic() < kernel->due)
			return SOURCE_IDLE;
	}
	return take_batch(kernel, batch, error);
}

static const struct d_probe *probe_of_site(void *context, uint64_t number)
{
	const struct kernel_source *kernel = context;
	const struct kernel_group *group =
		number < UINT32_MAX ? find_group(kernel, (uint32_t)number) : NULL;
	const struct kernel_attached *site =
		group ? kernel_group_site(group, (uint32_t)number) : NULL;

	return site ? &kernel->set->probes[site->site->probe] : NULL;
}

static void kernel_collect(struct source *source, const struct partial_sink *sink)
{
	struct kernel_source *kernel = kernel_of(source);
	const struct kernel_site_names names = {kernel, probe_of_site};

	kernel_tally_read(&kernel->reader, &kernel->reduction, &names, sink);
}

static void kernel_stop(struct source *source)
{
	source_kernel_release(source);
	kernel_of(source)->stopping = true;
	kernel_of(source)->due = 0;
}

static int kernel_descriptor(const struct source *source)
{
	return kernel_of(source)->wait;
}

static uint64_t kernel_due(const struct source *source)
{
	return kernel_of(source)->due;
}

static const struct source_methods kernel_methods = {
	.enable = kernel_enable,
	.next = kernel_next,
	.collect = kernel_collect,
	.stop = kernel_stop,
	.descriptor = kernel_descriptor,
	.due = kernel_due,
	.close = kernel_close,
};

/* Programs know the ids of threads in one pid namespace: the kernel's own, or else ours. */
static int check_namespace(const struct bpf_features *features, uint32_t pid, struct error *error)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/pid", pid);
	if (!features->other_namespace || stat(path, &status) ||
		status.st_ino == features->namespace_inode)
		return 0;
	return error_set(error, ENOTSUP,
		"process %" PRIu32
		" is in another pid namespace than vmtap, which is in one itself: "
		"the kernel cannot tell its threads apart then; run vmtap on the host, or in the "
		"process's namespace",
		pid);
}

/* Copies the descriptions into one block. -ENOMEM. */
static int copy_asked(struct kernel_source *kernel, const struct d_asked *asked, size_t count)
{
	size_t bytes = (count + 1) * sizeof(*asked);
	char *text;

	for (size_t i = 0; i < count; i++)
		bytes += strlen(asked[i].provider) + strlen(asked[i].module) +
			strlen(asked[i].function) + strlen(asked[i].name) + 4;
	kernel->asked = calloc(1, bytes);
	if (!kernel->asked)
		return -ENOMEM;
	text = (char *)(kernel->asked + count + 1);
	for (; kernel->asked_count < count; kernel->asked_count++) {
		const struct d_asked *from = &asked[kernel->asked_count];
		const char *parts[] = {from->provider, from->module, from->function, from->name};

		for (size_t i = 0; i < 4; i++) {
			size_t length = strlen(parts[i]) + 1;
			memcpy(text, parts[i], length);
			parts[i] = text;
			text += length;
		}
		kernel->asked[kernel->asked_count] =
			(struct d_asked){parts[0], parts[1], parts[2], parts[3]};
	}
	return 0;
}

int source_kernel_new(struct d_probe_set *set, const struct d_asked *asked, size_t asked_count,
	struct source **source, struct error *error)
{
	struct kernel_source *kernel = calloc(1, sizeof(*kernel));
	int result;

	*source = NULL;
	if (!kernel)
		return error_set(error, ENOMEM, "out of memory");
	kernel->set = set;
	kernel->records.ring.map = -1;
	kernel->busy_ms = BUSY_MS;
	kernel->source = (struct source){.methods = &kernel_methods,
		.kind = SOURCE_KIND_KERNEL,
		.provides = source_kind_provides(SOURCE_KIND_KERNEL)};
	kernel->wait = epoll_create1(EPOLL_CLOEXEC);
	result = kernel->wait < 0 ? -errno : copy_asked(kernel, asked, asked_count);
	if (result)
		error_set(error, -result, "the kernel source: %s", strerror(-result));
	else
		result = bpf_features(&kernel->features, error);
	if (result)
		kernel_close(&kernel->source);
	else
		*source = &kernel->source;
	return result;
}

/* Adds a process to the list, which then owns it. -ENOMEM. */
static int keep_process(struct kernel_source *kernel, const struct kernel_process *process)
{
	struct kernel_process *kept = malloc(sizeof(*kept));

	if (!kept ||
		array_room(&kernel->processes, &kernel->process_capacity, kernel->process_count,
			sizeof(struct kernel_process *)) ||
		kernel_shown_find(&kernel->shown, process->pid, NULL) < 0 ||
		(process->descriptor >= 0 &&
			watch(kernel, process->descriptor, kernel->process_count))) {
		free(kept);
		return -ENOMEM;
	}
	*kept = *process;
	kept->event.execname = kept->name;
	if (!kernel->process_count)
		kernel->source.process = kept->event;
	kernel->processes[kernel->process_count++] = kept;
	return 0;
}

static int keep_group(struct kernel_source *kernel, struct kernel_target *target, size_t process)
{
	struct kernel_group *group;

	if (array_room(&kernel->groups, &kernel->group_capacity, kernel->group_count,
		    sizeof(struct kernel_group *))) {
		kernel_target_close(target);
		return -ENOMEM;
	}
	if (kernel_group_new(target, process, &group))
		return -ENOMEM;
	kernel->groups[kernel->group_count++] = group;
	kernel_process_map(kernel->processes[process], &group->target, false);
	return 0;
}

/* Finds the sites of a process. */
static int find_sites(struct kernel_source *kernel, uint32_t pid, unsigned flags,
	struct kernel_target *target, struct error *error)
{
	int result = kernel_target_open(target, pid, error);

	target->may_miss = flags & SOURCE_KERNEL_MAY_MISS;
	if (!result && kernel_usdt_add(target, kernel->set))
		result = error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
	if (!result)
		result = kernel_pid_add(
			target, kernel->set, kernel->asked, kernel->asked_count, error);
	if (result)
		kernel_target_close(target);
	return result;
}

int source_kernel_add(struct source *source, uint32_t pid, unsigned flags, struct error *error)
{
	struct kernel_source *kernel = kernel_of(source);
	struct kernel_process process = {.descriptor = -1, .link = -1};
	struct kernel_target target = {0};
	int result = check_namespace(&kernel->features, pid, error);

	if (!result)
		result = kernel_process_open(&process, pid, error);
	if (!result)
		result = find_sites(kernel, pid, flags, &target, error);
	process.may_stop = flags & SOURCE_KERNEL_OURS || kernel_watch_may_stop(pid);
	process.has_stream = flags & SOURCE_KERNEL_HAS_STREAM;
	if (result)
		goto out;
	debug_say(DEBUG_KERNEL, "process %" PRIu32 ": %zu sites in %u files", pid,
		target.site_count, target.file_count);
	result = keep_process(kernel, &process);
	if (!result) {
		process = (struct kernel_process){.descriptor = -1, .link = -1};
		result = keep_group(kernel, &target, kernel->process_count - 1);
	} else {
		kernel_target_close(&target);
	}
	if (result)
		error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
out:
	kernel_process_close(&process);
	return result;
}

void source_kernel_remove_last(struct source *source)
{
	struct kernel_source *kernel = kernel_of(source);

	kernel_group_free(kernel->groups[--kernel->group_count]);
	kernel->process_count--;
	kernel_process_close(kernel->processes[kernel->process_count]);
	free(kernel->processes[kernel->process_count]);
}

size_t source_kernel_count(const struct source *source)
{
	return kernel_of(source)->process_count;
}

/* ---- what turns up later ---- */

/* What has turned up in a process. */
struct kernel_later {
	struct source source;
	struct kernel_source *kernel;
	struct kernel_target *target; /* NULL: given away */
	size_t process;
	struct kernel_notice notice;
};

/* Lets the process of a notice go on; `process`: its number, -1: it is not known any more. */
static void go_on(struct kernel_source *kernel, const struct kernel_notice *notice, long process)
{
	if (!kernel_watch_continue(kernel->watch, notice) && process >= 0)
		tell(kernel, (size_t)process,
			"it has run for a while before its new probes were attached: events of "
			"that time are missing");
}

static void free_target(struct kernel_target *target)
{
	if (target)
		kernel_target_close(target);
	free(target);
}

static struct kernel_later *later_of(const struct source *source)
{
	return (struct kernel_later *)(uintptr_t)source;
}

static void later_renumber(struct source *source, const uint32_t *numbers)
{
	struct kernel_target *target = later_of(source)->target;

	for (size_t i = 0; i < target->site_count; i++)
		target->sites[i].probe = numbers[target->sites[i].probe];
	for (size_t i = 0; i < target->obstacle_count; i++)
		target->obstacles[i].probe = numbers[target->obstacles[i].probe];
}

static int later_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct kernel_later *later = later_of(source);
	struct kernel_source *kernel = later->kernel;
	struct kernel_target *target = later->target;

	later->target = NULL;
	if (!request->want_count) {
		kernel_process_map(kernel->processes[later->process], target, true);
		return 0;
	}
	if (keep_group(kernel, target, later->process)) {
		free(target);
		return error_set(error, ENOMEM, "out of memory");
	}
	free(target); /* the group has taken what is in it */
	kernel_reduce_answer(&kernel->reduction, request);
	return attach_group(kernel, kernel->groups[kernel->group_count - 1], request, error);
}

static void later_close(struct source *source)
{
	struct kernel_later *later = later_of(source);

	go_on(later->kernel, &later->notice, (long)later->process);
	free_target(later->target);
	free(later);
}

static const struct source_methods later_methods = {
	.enable = later_enable,
	.renumber = later_renumber,
	.close = later_close,
};

/* The targets that tell which files of a process are known; see kernel_target_open_later(). */
static size_t list_known(
	const struct kernel_source *kernel, size_t process, const struct kernel_target **list)
{
	size_t count = 0;

	list[count++] = kernel->processes[process]->latest;
	for (size_t i = 0; i < kernel->group_count; i++)
		if (kernel->groups[i]->process == process)
			list[count++] = &kernel->groups[i]->target;
	return count;
}

/* Finds the sites of the files that a process has mapped since it was last looked at. */
static int find_later(struct kernel_source *kernel, size_t process, struct kernel_target *target,
	struct d_probe_set *own)
{
	const struct kernel_target **known =
		calloc(kernel->group_count + 1, sizeof(struct kernel_target *));
	uint32_t pid = kernel->processes[process]->pid;
	struct error ignored;
	int result = known ? 0 : -ENOMEM;

	if (!result)
		result = kernel_target_open_later(
			target, pid, known, list_known(kernel, process, known), &ignored);
	if (!result &&
		!kernel_linker_is_consistent(target->process, kernel->processes[process]->state))
		result = -EAGAIN; /* a notice will follow */
	target->has_stream = kernel->processes[process]->has_stream;
	if (!result)
		result = kernel_usdt_add(target, own);
	for (size_t i = 0; i < kernel->asked_count && !result; i++)
		if (kernel_pid_add(target, own, &kernel->asked[i], 1, &ignored) == -ENOMEM)
			result = -ENOMEM;
	free(known);
	return result;
}

/* Another program is another process, as far as its probes are concerned. */
static void replace_program(struct kernel_source *kernel, size_t number)
{
	struct kernel_process *old = kernel->processes[number], process;
	struct error ignored;
	bool may_stop = old->may_stop, has_stream = old->has_stream;

	/* Its links would go on in the new program where that maps the same files. */
	end_process(kernel, number);
	if (kernel_process_open(&process, old->pid, &ignored))
		return;
	process.may_stop = may_stop;
	process.has_stream = has_stream;
	if (keep_process(kernel, &process)) {
		kernel_process_close(&process);
		return;
	}
	watch_process(kernel, kernel->process_count - 1);
}

/* Takes the first notice; NULL: it is settled, and the process goes on. */
static struct source *take_notice(struct kernel_source *kernel, struct d_probe_set *own)
{
	const struct kernel_notice notice = kernel->notices[0];
	struct kernel_later *later = NULL;
	struct kernel_target *target = NULL;
	long process = find_process(kernel, notice.pid);
	int result = -ESRCH;

	memmove(kernel->notices, kernel->notices + 1,
		--kernel->notice_count * sizeof(*kernel->notices));
	if (process >= 0 && notice.kind == KERNEL_NOTICE_PROGRAM) {
		replace_program(kernel, (size_t)process);
		process = find_process(kernel, notice.pid);
	}
	if (process >= 0) {
		target = calloc(1, sizeof(*target));
		later = calloc(1, sizeof(*later));
		result = target && later ? find_later(kernel, (size_t)process, target, own)
					 : -ENOMEM;
	}
	if (result == -ENOMEM && process >= 0)
		tell(kernel, (size_t)process, "out of memory: what it has loaded is not traced");
	if (!result && (target->site_count || target->obstacle_count)) {
		*later = (struct kernel_later){.source = {.methods = &later_methods,
						       .process = kernel->processes[process]->event,
						       .kind = SOURCE_KIND_KERNEL},
			.kernel = kernel,
			.target = target,
			.process = (size_t)process,
			.notice = notice};
		return &later->source;
	}
	free(later);
	if (result)
		free_target(target);
	else
		kernel_process_map(kernel->processes[process], target, true);
	go_on(kernel, &notice, process);
	return NULL;
}

struct source *source_kernel_later(struct source *source, struct d_probe_set *own)
{
	struct kernel_source *kernel = kernel_of(source);
	struct source *later = NULL;

	take_notices(kernel);
	while (kernel->notice_count && !later)
		later = take_notice(kernel, own);
	return later;
}

void source_kernel_release(struct source *source)
{
	if (kernel_of(source)->watch)
		kernel_watch_release(kernel_of(source)->watch);
}
