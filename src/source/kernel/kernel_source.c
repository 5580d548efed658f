/*
 * kernel_source.c: see kernel_source.h.
 *
 * Records are read from the ring by kernel_records.h, and made into a batch by kernel_decode.h.
 * They are used where they lie in the ring, and released with the next batch.
 */
#include "source/kernel/kernel_source.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/debug.h"
#include "program/need.h"
#include "source/endpoint.h"
#include "source/kernel/kernel_attach.h"
#include "source/kernel/kernel_decode.h"
#include "source/kernel/kernel_pid.h"
#include "source/kernel/kernel_records.h"
#include "source/kernel/kernel_target.h"
#include "source/kernel/kernel_usdt.h"
#include "usdt/unwind.h"

enum {
	RING_BYTES = 4 << 20,
	WAKE_BYTES = RING_BYTES / 2, /* so much in the ring wakes us before our time */
	BATCH_EVENTS = 8192,
	BUSY_MS = 5, /* between two looks into the ring while events come */
	IDLE_MS = 20
};

struct kernel_source {
	struct source source;
	struct d_probe_set *set;
	char program[256], arguments[4096];
	struct kernel_target target;
	struct kernel_records records;
	struct kernel_attachment attachment;
	const uint64_t *counters;
	size_t counter_bytes;
	uint64_t *counted; /* by site: losses that have been reported */
	uint64_t counted_lost, counted_unreadable;
	int wait;    /* epoll: ring and process */
	int process; /* pidfd; -1: none */
	bool stopping, ended, told_unreadable;
	bool has_told; /* the present message */
	uint64_t due;
	uint32_t busy_ms;
	struct kernel_decoder decoder;
	struct event_loss *losses;
	size_t loss_capacity;
	struct usdt_unwind *unwind; /* NULL: no stack is captured */
	char message[1024];
};

static struct kernel_source *kernel_of(const struct source *source)
{
	return (struct kernel_source *)(uintptr_t)source;
}

static void kernel_close(struct source *source)
{
	struct kernel_source *kernel = kernel_of(source);

	kernel_attach_end(&kernel->attachment);
	if (kernel->counters)
		munmap((void *)(uintptr_t)kernel->counters, kernel->counter_bytes);
	kernel_records_close(&kernel->records);
	kernel_target_close(&kernel->target);
	if (kernel->wait >= 0)
		close(kernel->wait);
	if (kernel->process >= 0)
		close(kernel->process);
	usdt_unwind_free(kernel->unwind);
	kernel_decode_free(&kernel->decoder);
	free(kernel->counted);
	free(kernel->losses);
	free(kernel);
}

/* ---- enabling ---- */

static int watch(struct kernel_source *kernel, int descriptor)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(kernel->wait, EPOLL_CTL_ADD, descriptor, &event) ? -errno : 0;
}

static int map_counters(struct kernel_source *kernel)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t bytes = 8 * (KERNEL_COUNTER_SITES + kernel->attachment.site_count);
	void *counters;

	kernel->counter_bytes = (bytes + page - 1) & ~(page - 1);
	counters = mmap(NULL, kernel->counter_bytes, PROT_READ, MAP_SHARED,
		kernel->attachment.maps.counters, 0);
	if (counters == MAP_FAILED)
		return -errno;
	kernel->counters = counters;
	kernel->counted = calloc(kernel->attachment.site_count + 1, sizeof(*kernel->counted));
	return kernel->counted ? 0 : -ENOMEM;
}

static bool is_wanted(const struct source_request *request, uint32_t probe)
{
	for (size_t i = 0; i < request->want_count; i = source_request_next(request, i))
		if (request->wants[i].probe == probe)
			return true;
	return false;
}

/* Reports sites that are wanted and cannot be attached to: an error if there are no others. */
static int tell_obstacles(
	struct kernel_source *kernel, const struct source_request *request, struct error *error)
{
	const struct kernel_obstacle *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < kernel->target.obstacle_count; i++) {
		const struct kernel_obstacle *obstacle = &kernel->target.obstacles[i];

		if (!is_wanted(request, obstacle->probe))
			continue;
		if (!kernel->attachment.site_count)
			return error_set(error, ENOTSUP, "%s", obstacle->reason);
		if (!count++)
			first = obstacle;
	}
	if (count > 1)
		snprintf(kernel->message, sizeof(kernel->message), "%s (and %zu more)",
			first->reason, count - 1);
	else if (count)
		snprintf(kernel->message, sizeof(kernel->message), "%s", first->reason);
	return 0;
}

/* The process may have ended by the time its first stack is read, so its files are opened now. */
static int prepare_stacks(struct kernel_source *kernel)
{
	for (size_t i = 0; i < kernel->attachment.plan_count && !kernel->unwind; i++)
		if (kernel->attachment.plans[i].user_frames &&
			usdt_unwind_new((pid_t)kernel->target.pid, &kernel->unwind))
			return -ENOMEM;
	return 0;
}

static int kernel_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct kernel_source *kernel = kernel_of(source);
	int result = kernel_records_open(&kernel->records, RING_BYTES);

	if (result)
		return error_set(error, -result, "the kernel refuses a BPF ring buffer: %s",
			strerror(-result));
	if (request->latency && request->latency < BUSY_MS * CLOCK_NS_PER_MS)
		kernel->busy_ms = (uint32_t)(request->latency / CLOCK_NS_PER_MS);
	result = kernel_attach_begin(&kernel->attachment, &kernel->target, kernel->set, request,
		kernel->records.ring.map, WAKE_BYTES, error);
	if (!result)
		result = tell_obstacles(kernel, request, error);
	if (result)
		return result;
	result = map_counters(kernel);
	if (!result)
		result = prepare_stacks(kernel);
	if (!result)
		result = watch(kernel, kernel->records.ring.map);
	kernel->due = clock_monotonic();
	return result ? error_set(error, -result, "process %" PRIu32 ": %s", kernel->target.pid,
				strerror(-result))
		      : 0;
}

/* ---- reading ---- */

/* Decodes the records that no later one can precede. -ENOMEM. */
static int decode_batch(struct kernel_source *kernel, struct event_batch *batch)
{
	const struct kernel_record *record;

	kernel_decode_begin(&kernel->decoder);
	while (kernel->decoder.event_count < BATCH_EVENTS &&
		(record = kernel_records_peek(&kernel->records))) {
		const struct kernel_attached *site;
		struct kernel_head head;

		memcpy(&head, record->bytes, sizeof(head));
		kernel_records_take(&kernel->records);
		if (head.site >= kernel->attachment.site_count)
			continue;
		site = &kernel->attachment.sites[head.site];
		if (kernel_decode_add(&kernel->decoder, record,
			    &kernel->attachment.plans[site->plan], site->site->probe, 0,
			    kernel->unwind))
			return -ENOMEM;
	}
	kernel_decode_end(&kernel->decoder, batch);
	return 0;
}

/* ---- losses ---- */

static uint64_t counter(const struct kernel_source *kernel, size_t which)
{
	return __atomic_load_n(&kernel->counters[which], __ATOMIC_RELAXED);
}

static void add_losses(struct kernel_source *kernel, struct event_batch *batch)
{
	uint64_t lost = counter(kernel, KERNEL_COUNTER_LOST);

	if (lost == kernel->counted_lost)
		return;
	kernel->counted_lost = lost;
	for (size_t i = 0; i < kernel->attachment.site_count; i++) {
		uint64_t count = counter(kernel, KERNEL_COUNTER_SITES + i) - kernel->counted[i];

		if (!count ||
			array_room(&kernel->losses, &kernel->loss_capacity, batch->loss_count,
				sizeof(*kernel->losses)))
			continue;
		kernel->losses[batch->loss_count++] = (struct event_loss){
			.count = count, .probe = kernel->attachment.sites[i].site->probe};
		kernel->counted[i] += count;
	}
	batch->losses = kernel->losses;
	if (counter(kernel, KERNEL_COUNTER_UNREADABLE) && !kernel->told_unreadable) {
		kernel->told_unreadable = true;
		kernel->has_told = false;
		snprintf(kernel->message, sizeof(kernel->message),
			"events are lost because the memory of an argument cannot be read");
	}
}

/* ---- the source ---- */

static bool has_exited(const struct kernel_source *kernel)
{
	struct epoll_event events[2];
	int count = kernel->process < 0 ? 0 : epoll_wait(kernel->wait, events, 2, 0);

	for (int i = 0; i < count; i++)
		if (events[i].data.fd == kernel->process)
			return true;
	return kernel->process < 0 && !endpoint_started(kernel->target.pid);
}

static enum source_state take_batch(
	struct kernel_source *kernel, struct event_batch *batch, struct error *error)
{
	bool last = kernel->stopping || has_exited(kernel), complete;
	const struct kernel_record *left;
	uint64_t now;

	if (last)
		kernel_attach_stop(&kernel->attachment);
	now = clock_monotonic();
	complete = kernel_records_read(&kernel->records, last);
	if (decode_batch(kernel, batch)) {
		error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", kernel->target.pid);
		return SOURCE_BROKEN;
	}
	left = kernel_records_peek(&kernel->records);
	add_losses(kernel, batch);
	if (*kernel->message && !kernel->has_told)
		batch->message = kernel->message;
	kernel->has_told |= batch->message != NULL;
	batch->processes = &kernel->source.process;
	batch->process_count = 1;
	batch->until = left ? left->time - 1 : last ? now : kernel->records.until;
	batch->wall_offset = (int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic());
	kernel->ended = last && complete && !left;
	if (kernel->ended)
		debug_say(DEBUG_KERNEL,
			"process %" PRIu32 ": %" PRIu64 " bytes of records, %" PRIu64
			" events lost, %" PRIu64 " unreadable",
			kernel->target.pid, kernel->records.position,
			counter(kernel, KERNEL_COUNTER_LOST),
			counter(kernel, KERNEL_COUNTER_UNREADABLE));
	kernel->due = left ? now
			   : now +
			(!complete                           ? CLOCK_NS_PER_MS
					: batch->event_count ? kernel->busy_ms * CLOCK_NS_PER_MS
							     : IDLE_MS * CLOCK_NS_PER_MS);
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

static void kernel_stop(struct source *source)
{
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
	.stop = kernel_stop,
	.descriptor = kernel_descriptor,
	.due = kernel_due,
	.close = kernel_close,
};

static int describe_process(struct kernel_source *kernel, struct error *error)
{
	struct endpoint_process process;
	int result = endpoint_process(kernel->target.pid, &process, error);

	if (result)
		return result;
	memcpy(kernel->program, process.name, sizeof(process.name));
	kernel->source.process = (struct event_process){.pid = process.pid,
		.ppid = process.ppid,
		.uid = process.uid,
		.gid = process.gid,
		.execname = kernel->program};
	return 0;
}

static int open_waits(struct kernel_source *kernel)
{
	int result = 0;

	kernel->wait = epoll_create1(EPOLL_CLOEXEC);
	if (kernel->wait < 0)
		return -errno;
	kernel->process = (int)syscall(SYS_pidfd_open, kernel->target.pid, 0);
	if (kernel->process >= 0) {
		struct epoll_event event = {.events = EPOLLIN, .data.fd = kernel->process};
		result = epoll_ctl(kernel->wait, EPOLL_CTL_ADD, kernel->process, &event);
	}
	return result ? -errno : 0;
}

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

int source_kernel_open(uint32_t pid, struct d_probe_set *set, const struct d_asked *asked,
	size_t asked_count, struct source **source, struct error *error)
{
	struct kernel_source *kernel = calloc(1, sizeof(*kernel));
	int result;

	*source = NULL;
	if (!kernel)
		return error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
	kernel->set = set;
	kernel->wait = kernel->process = kernel->records.ring.map = -1;
	kernel->busy_ms = BUSY_MS;
	kernel->attachment.maps = (struct kernel_maps){.counters = -1, .task = -1};
	kernel->source = (struct source){.methods = &kernel_methods,
		.kind = SOURCE_KIND_KERNEL,
		.provides = source_kind_provides(SOURCE_KIND_KERNEL)};
	result = bpf_features(&kernel->attachment.features, error);
	if (!result)
		result = check_namespace(&kernel->attachment.features, pid, error);
	if (!result)
		result = kernel_target_open(&kernel->target, pid, error);
	if (!result)
		result = describe_process(kernel, error);
	if (!result && (kernel_usdt_add(&kernel->target, set) || open_waits(kernel)))
		result = error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
	if (!result)
		result = kernel_pid_add(&kernel->target, set, asked, asked_count, error);
	if (result) {
		kernel_close(&kernel->source);
		return result;
	}
	debug_say(DEBUG_KERNEL, "process %" PRIu32 ": %zu sites in %u files", pid,
		kernel->target.site_count, kernel->target.file_count);
	*source = &kernel->source;
	return 0;
}
