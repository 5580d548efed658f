/*
 * process_source.c: see process_source.h. The records of all processes are in one ring
 * (ring_records.h). The groups know the records' sites (site_group.h).
 */
#include "kernel/process/process_source.h"

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
#include "kernel/process/new_sites.h"
#include "kernel/process/process_batch.h"
#include "kernel/process/process_source_private.h"
#include "kernel/process/shared_files.h"
#include "kernel/process/source_members.h"
#include "kernel/process/source_process.h"
#include "kernel/reduce/follow.h"
#include "kernel/reduce/refusal.h"
#include "kernel/site/function_sites.h"
#include "kernel/site/usdt_sites.h"

enum {
	RING_BYTES = 4 << 20, /* as option bufsize has it by default */
	WAKE_PART = 2,        /* wake up early when the ring is half full */
	BUSY_MS = 5           /* between two readings of the ring while events come */
};

struct kernel_source *kernel_source_of(const struct source *source)
{
	return (struct kernel_source *)(uintptr_t)source;
}

int kernel_source_wait_for(struct kernel_source *kernel, int descriptor, uint64_t number)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u64 = number};

	return epoll_ctl(kernel->wait, EPOLL_CTL_ADD, descriptor, &event) ? -errno : 0;
}

void kernel_source_tell(struct kernel_source *kernel, uint32_t pid, const char *format, ...)
{
	struct kernel_message message = {.pid = pid};
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message.text, sizeof(message.text), format, arguments);
	va_end(arguments);
	for (size_t i = 0; i < kernel->message_count; i++)
		if (kernel->messages[i].pid == pid &&
			!strcmp(kernel->messages[i].text, message.text))
			return;
	if (!array_room(&kernel->messages, &kernel->message_capacity, kernel->message_count,
		    sizeof(message)))
		kernel->messages[kernel->message_count++] = message;
}

static void kernel_close(struct source *source)
{
	struct kernel_source *kernel = kernel_source_of(source);

	kernel_watch_free(kernel->watch);
	kernel_ends_close(&kernel->ends);
	kernel_member_detach(kernel, SIZE_MAX);
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
	carried_free(&kernel->carried);
	free(kernel->processes);
	kernel_shown_free(&kernel->shown);
	kernel_heard_close(&kernel->heard);
	free(kernel->listed);
	if (kernel->has_times)
		kernel_cpu_time_close(&kernel->times);
	free(kernel->groups);
	free(kernel->losses.items);
	free(kernel->notices);
	free(kernel->messages);
	kernel_all_close(kernel);
	kernel_alias_free(&kernel->aliases);
	free(kernel->seen.files);
	free(kernel);
}

/* ---- enabling ---- */

static void watch_all(struct kernel_source *kernel)
{
	struct error error;

	if (kernel->scope != KERNEL_SCOPE_NAMED) {
		kernel_shared_watch(kernel);
		return;
	}
	if (kernel_watch_new(&kernel->features, kernel->scope, &kernel->watch, &error)) {
		kernel_source_tell(kernel, kernel->source.process.pid,
			"what it loads or executes from now on is not traced: %s", error.text);
		return;
	}
	kernel_source_wait_for(kernel, kernel_watch_descriptor(kernel->watch), KERNEL_WAIT_NOTICES);
	for (size_t i = 0; i < kernel->process_count; i++) {
		kernel_member_watch(kernel, i);
		/* scans for what it has loaded since the last scan */
		kernel_later_note(kernel,
			&(struct kernel_notice){
				.kind = KERNEL_NOTICE_OBJECTS, .pid = kernel->processes[i]->pid});
	}
}

int kernel_source_attach(struct kernel_source *kernel, struct kernel_group *group,
	const struct source_request *request, struct error *error)
{
	const struct kernel_attachment *attachment = &group->attachment;
	char message[KERNEL_MESSAGE_BYTES] = "";
	int result;

	group->attachment.features = kernel->features;
	result = kernel_group_attach(
		group, kernel->set, request, &kernel->ring, message, sizeof(message), error);
	if (*message)
		kernel_source_tell(kernel, group->target.pid, "%s", message);
	kernel->features = attachment->features; /* it may have found out more */
	for (size_t i = 0; i < attachment->plan_count && !result; i++) {
		const struct kernel_plan *plan = &attachment->plans[i];

		if ((plan->user_frames || plan->sends_stacks) &&
			kernel->scope == KERNEL_SCOPE_NAMED &&
			kernel_process_unwinds(kernel->processes[group->process],
				kernel_shown_files(&kernel->shown)))
			result = error_set(error, ENOMEM, "process %" PRIu32 ": out of memory",
				group->target.pid);
		if (!plan->has_cpu_clock || kernel->has_times || result)
			continue;
		kernel->has_times = true;
		result = kernel_cpu_time_open(&kernel->times, error);
	}
	if (!result && kernel->is_open)
		kernel_group_open(group, true);
	return result;
}

/* Decides what the programs carry out themselves. They carry out nothing if the kernel refuses
 * maps. */
static void reduce_clauses(struct kernel_source *kernel, const struct source_request *request)
{
	int result = kernel_reduce_begin(
		&kernel->reduction, request, kernel->scope != KERNEL_SCOPE_NAMED);
	struct error reason;

	if (!result)
		result = kernel_tally_begin(&kernel->reader, &kernel->reduction);
	if (!result && kernel->reduction.reads_cpu_time) {
		result = kernel_cpu_time_open(&kernel->times, &reason);
		kernel->has_times = !result;
		if (result)
			kernel_cpu_time_close(&kernel->times);
	}
	kernel_reduce_tell_clocks(&kernel->reduction, kernel->times.distance,
		(int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic()));
	kernel->updates = calloc(kernel->reduction.cpu_count + 1, sizeof(*kernel->updates));
	if (!result && kernel->updates)
		return;
	debug_say(DEBUG_KERNEL, "nothing is reduced: %s", strerror(-result));
	kernel_tally_end(&kernel->reader, &kernel->reduction);
	kernel_reduce_undo(&kernel->reduction, request);
}

/*
 * Attaches to the wanted probes of all groups. is_strict: it is an error if any group cannot be
 * attached to; otherwise, only if none can.
 */
static int attach_groups(struct kernel_source *kernel, const struct source_request *request,
	bool is_strict, struct error *error)
{
	struct source_request joint = *request;
	bool is_shared = kernel->scope != KERNEL_SCOPE_NAMED;
	int result = is_shared ? kernel_shared_request(kernel, request, &joint) : 0, failed = 0;
	size_t attached = 0;

	if (result)
		return error_set(error, ENOMEM, "out of memory");
	for (size_t i = 0; i < kernel->group_count && !result; i++) {
		struct kernel_group *group = kernel->groups[i];

		result = kernel_source_attach(kernel, group, &joint, error);
		if (!result || is_strict) {
			attached += group->attachment.site_count;
			continue;
		}
		kernel_group_reset(group);
		kernel_source_tell(kernel, group->target.pid, "%s", error->text);
		failed = result;
		result = 0;
	}
	if (is_shared)
		free(joint.wants);
	return result || attached ? result : failed;
}

static int kernel_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct kernel_source *kernel = kernel_source_of(source);
	uint32_t bytes = kernel_ring_bytes(
		request->program ? request->program->options.bufsize : RING_BYTES);
	int result = kernel_records_open(&kernel->records, bytes);
	bool follows;

	if (!result)
		result = kernel_source_wait_for(kernel, kernel->records.ring.map, KERNEL_WAIT_RING);
	if (result)
		return error_set(error, -result, "the kernel refuses a BPF ring buffer: %s",
			strerror(-result));
	if (request->latency && request->latency < BUSY_MS * CLOCK_NS_PER_MS)
		kernel->busy_ms = (uint32_t)(request->latency / CLOCK_NS_PER_MS);
	kernel->ring = (struct kernel_group_ring){.map = kernel->records.ring.map,
		.wake_bytes = bytes / WAKE_PART,
		.reduction = &kernel->reduction};
	kernel->decoder.times = &kernel->times;
	if (kernel->scope != KERNEL_SCOPE_NAMED) {
		kernel_heard_open(&kernel->heard, request->heard);
		kernel->shown.heard = request->heard;
		result = kernel_shared_begin(kernel, error);
	}
	if (result)
		return result;
	reduce_clauses(kernel, request);
	result = kernel_refusal_check(&kernel->reduction, request, error);
	if (result)
		return result;
	follows = kernel_follow_is_any(&kernel->reduction); /* then records alone do not suffice */
	result = attach_groups(kernel, request,
		kernel->scope != KERNEL_SCOPE_ALL || (kernel->reduction.set_count && !follows),
		error);
	if (result && kernel->reduction.set_count && !kernel_refusal_is_possible(request)) {
		struct error reason = *error;
		int first = result;

		/* records of events may be possible even so */
		for (size_t i = 0; i < kernel->group_count; i++)
			kernel_group_reset(kernel->groups[i]);
		kernel->ring.next_site = 0;
		kernel_tally_end(&kernel->reader, &kernel->reduction);
		kernel_reduce_undo(&kernel->reduction, request);
		result = attach_groups(kernel, request, kernel->scope != KERNEL_SCOPE_ALL, error);
		if (result && follows) {
			*error = reason;
			result = first;
		} else if (!result) {
			debug_say(DEBUG_KERNEL, "nothing is reduced: %s", reason.text);
		}
	}
	debug_say(DEBUG_KERNEL, "%zu instructions that aggregate are carried out by programs",
		kernel->reduction.tally_count);
	if (!result && request->tells_thread_ends)
		result = kernel_ends_open(
			&kernel->ends, &kernel->features, kernel->records.ring.map, error);
	source->tells_thread_ends = !result && request->tells_thread_ends;
	if (!result)
		watch_all(kernel);
	kernel->due = clock_monotonic();
	return result;
}

static void kernel_fire(struct source *source, bool fires)
{
	struct kernel_source *kernel = kernel_source_of(source);

	kernel->is_open = fires;
	for (size_t i = 0; i < kernel->group_count; i++)
		kernel_group_open(kernel->groups[i], fires);
}

/* ---- reading ---- */

/* Groups have consecutive numbers; one without sites has the first number of the next one. */
static int compare_site(const void *key, const void *element)
{
	const struct kernel_attachment *attachment =
		&(*(struct kernel_group *const *)element)->attachment;
	uint32_t site = *(const uint32_t *)key, first = attachment->maps.first_site;

	return site < first ? -1 : site - first >= attachment->site_count;
}

struct kernel_group *kernel_source_group(const struct kernel_source *kernel, uint32_t site)
{
	struct kernel_group **found = kernel->group_count
		? bsearch(&site, kernel->groups, kernel->group_count, sizeof(*kernel->groups),
			  compare_site)
		: NULL;

	return found ? *found : NULL;
}

static enum source_state kernel_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	struct kernel_source *kernel = kernel_source_of(source);

	*batch = (struct event_batch){0};
	if (kernel->ended)
		return SOURCE_ENDED;
	if (!kernel->stopping && !kernel_all_is_due(kernel) &&
		!kernel_records_await(kernel->wait, kernel->due, timeout_ms))
		return SOURCE_IDLE;
	return kernel_batch_take(kernel, batch, error);
}

const struct d_probe *kernel_source_probe(void *context, uint64_t number)
{
	const struct kernel_source *kernel = context;
	const struct kernel_group *group =
		number < UINT32_MAX ? kernel_source_group(kernel, (uint32_t)number) : NULL;
	const struct kernel_attached *site =
		group ? kernel_group_site(group, (uint32_t)number) : NULL;

	return site ? &kernel->set->probes[site->site->probe] : NULL;
}

static void kernel_collect(struct source *source, const struct partial_sink *sink)
{
	struct kernel_source *kernel = kernel_source_of(source);
	const struct kernel_site_names names = {kernel, kernel_source_probe};

	kernel_tally_read(&kernel->reader, &kernel->reduction, &names, sink);
}

static void kernel_stop(struct source *source)
{
	struct kernel_source *kernel = kernel_source_of(source);

	source_kernel_release(source);
	kernel->stopping = true;
	kernel->due = 0;
}

static int kernel_descriptor(const struct source *source)
{
	return kernel_source_of(source)->wait;
}

static uint64_t kernel_due(const struct source *source)
{
	return kernel_source_of(source)->due;
}

static const struct source_methods kernel_methods = {
	.enable = kernel_enable,
	.fire = kernel_fire,
	.next = kernel_next,
	.collect = kernel_collect,
	.stop = kernel_stop,
	.descriptor = kernel_descriptor,
	.due = kernel_due,
	.close = kernel_close,
};

/* ---- opening ---- */

/* Programs know the ids of threads in one pid namespace: the kernel's own, or else ours. Of threads
 * in a namespace within ours they find them only if it is known where the kernel keeps them. */
static int check_namespace(const struct bpf_features *features, uint32_t pid, struct error *error)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/pid", pid);
	if (!features->other_namespace || features->numbers.is_known || stat(path, &status) ||
		status.st_ino == features->namespace_inode)
		return 0;
	return error_set(error, ENOTSUP,
		"process %" PRIu32
		" is in another pid namespace than vmtap, which is in one itself: "
		"the kernel cannot tell its threads apart then; run vmtap on the host, or in the "
		"process's namespace",
		pid);
}

int source_kernel_new(struct d_probe_set *set, enum kernel_scope scope, const struct d_asked *asked,
	size_t asked_count, struct source **source, struct error *error)
{
	struct kernel_source *kernel = calloc(1, sizeof(*kernel));
	int result;

	*source = NULL;
	if (!kernel)
		return error_set(error, ENOMEM, "out of memory");
	kernel->set = set;
	kernel->scope = scope;
	kernel->records.ring.map = -1;
	kernel->ends = KERNEL_ENDS_NONE;
	kernel->busy_ms = BUSY_MS;
	kernel->source = (struct source){.methods = &kernel_methods,
		.kind = SOURCE_KIND_KERNEL,
		.provides = source_kind_provides(SOURCE_KIND_KERNEL)};
	kernel->wait = epoll_create1(EPOLL_CLOEXEC);
	result = kernel->wait < 0 ? -errno : 0;
	kernel->asked = d_asked_copy(asked, asked_count);
	kernel->asked_count = kernel->asked ? asked_count : 0;
	if (!kernel->asked)
		result = -ENOMEM;
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

int kernel_source_keep(struct kernel_source *kernel, struct kernel_target *target, size_t process)
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

int kernel_source_check(const struct kernel_target *target, struct error *error)
{
	bool is_denied = false;

	for (uint32_t i = 0; i < target->file_count; i++) {
		const struct usdt_object *object = target->files[i].object;
		int file = object->problem ? usdt_object_file(target->process, object) : -ENOENT;

		if (object->image)
			return 0;
		if (file >= 0)
			close(file);
		is_denied |= file == -EACCES || file == -EPERM;
	}
	return is_denied ? error_set(error, EPERM,
				   "process %" PRIu32 ": its files cannot be read, for which vmtap "
				   "needs the capability CAP_SYS_PTRACE; run vmtap by sudo",
				   target->pid)
			 : 0;
}

int kernel_source_carry(struct kernel_source *kernel, const struct kernel_target *target)
{
	int result = 0;

	for (uint32_t i = 0; i < target->file_count && !result; i++)
		if (target->files[i].object->image)
			result =
				carried_add_image(&kernel->carried, target->files[i].object->image);
	kernel->source.carried = kernel->carried.items;
	kernel->source.carried_count = kernel->carried.count;
	return result;
}

/* Finds the sites of a process. */
static int find_sites(struct kernel_source *kernel, uint32_t pid, unsigned flags,
	struct kernel_target *target, struct error *error)
{
	int result = kernel_target_open(target, pid, error);

	target->may_miss = flags & SOURCE_KERNEL_MAY_MISS;
	if (!result)
		result = kernel_source_check(target, error);
	if (!result &&
		(kernel_usdt_add(target, kernel->set) || kernel_source_carry(kernel, target)))
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
	struct kernel_source *kernel = kernel_source_of(source);
	struct kernel_process process = {.descriptor = -1, .link = -1};
	struct kernel_target target = {0};
	int result = check_namespace(&kernel->features, pid, error);

	if (!result && kernel->scope != KERNEL_SCOPE_NAMED)
		return kernel_shared_add(kernel, pid, flags, error);
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
	result = kernel_member_keep(kernel, &process);
	if (!result) {
		process = (struct kernel_process){.descriptor = -1, .link = -1};
		result = kernel_source_keep(kernel, &target, kernel->process_count - 1);
	} else {
		kernel_target_close(&target);
	}
	if (result)
		error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
out:
	kernel_process_close(&process);
	return result;
}

int source_kernel_add_all(
	struct source *source, unsigned flags, size_t *denied, struct error *error)
{
	struct kernel_source *kernel = kernel_source_of(source);
	int result = kernel_all_add(kernel, flags, error);

	*denied = kernel->all.denied;
	return result;
}

void source_kernel_remove_last(struct source *source)
{
	struct kernel_source *kernel = kernel_source_of(source);

	kernel_group_free(kernel->groups[--kernel->group_count]);
	kernel->process_count--;
	kernel_process_close(kernel->processes[kernel->process_count]);
	free(kernel->processes[kernel->process_count]);
}

bool source_kernel_has_runtime(const struct source *source)
{
	const struct kernel_source *kernel = kernel_source_of(source);
	const struct kernel_group *last =
		kernel->group_count ? kernel->groups[kernel->group_count - 1] : NULL;

	for (uint32_t i = 0; last && i < last->target.file_count; i++) {
		const struct usdt_image *image = last->target.files[i].object->image;

		if (image && image->has_runtime)
			return true;
	}
	return false;
}

bool source_kernel_leaves(const struct source *source)
{
	const struct kernel_source *kernel = kernel_source_of(source);

	for (size_t i = 0; i < kernel->group_count; i++)
		if (kernel->groups[i]->target.left_count)
			return true;
	return false;
}

size_t source_kernel_count(const struct source *source)
{
	return kernel_source_of(source)->process_count;
}

void source_kernel_release(struct source *source)
{
	if (kernel_source_of(source)->watch)
		kernel_watch_release(kernel_source_of(source)->watch);
}
