/*
 * machine_feed.c: see machine_feed.h. The order in a turn matters: the clock is read before the
 * ring, so that no later record can be earlier than what the batch promises, and losses are read
 * after the records.
 */
#include "kernel/machine/machine_feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_features.h"

enum {
	RING_BYTES = 4 << 20, /* the default of option bufsize; for up to RING_PROCESSORS */
	RING_PROCESSORS = 8,  /* the ring doubles when the processors do */
	RING_BYTES_MAX = 32 << 20,
	BATCH_EVENTS = 8192,
	IDLE_MS = 20 /* between two readings of the ring while it is empty */
};

int kernel_feed_open(struct kernel_feed *feed, uint32_t busy_ms)
{
	*feed = (struct kernel_feed){.busy_ms = busy_ms};
	feed->records.ring.map = -1;
	feed->ends = KERNEL_ENDS_NONE;
	feed->decoder.times = &feed->times;
	feed->wait = epoll_create1(EPOLL_CLOEXEC);
	return feed->wait < 0 ? -errno : 0;
}

void kernel_feed_reset(struct kernel_feed *feed, struct kernel_maps *maps)
{
	if (feed->counters)
		munmap(feed->counters, feed->counter_bytes);
	feed->counters = NULL;
	if (maps->counters >= 0)
		close(maps->counters);
	maps->counters = -1;
	if (feed->has_times)
		kernel_cpu_time_close(&feed->times);
	feed->has_times = false;
	free(feed->counted);
	free(feed->losses);
	feed->counted = NULL;
	feed->losses = NULL;
	feed->site_count = 0;
}

void kernel_feed_close(struct kernel_feed *feed, struct kernel_maps *maps)
{
	kernel_feed_reset(feed, maps);
	kernel_ends_close(&feed->ends);
	kernel_records_close(&feed->records);
	kernel_decode_free(&feed->decoder);
	kernel_shown_free(&feed->shown);
	kernel_heard_close(&feed->heard);
	if (feed->wait >= 0)
		close(feed->wait);
}

static uint32_t ring_bytes(const struct source_request *request)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	uint32_t bytes = kernel_ring_bytes(
		request->program ? request->program->options.bufsize : RING_BYTES);

	for (long i = RING_PROCESSORS; i < processors && bytes < RING_BYTES_MAX; i *= 2)
		bytes *= 2;
	return bytes;
}

int kernel_feed_begin(struct kernel_feed *feed, const struct source_request *request,
	struct kernel_maps *maps, struct error *error)
{
	struct epoll_event event = {.events = EPOLLIN};
	uint32_t bytes = ring_bytes(request);
	int result = kernel_records_open(&feed->records, bytes);

	feed->due = clock_monotonic();
	if (!result && epoll_ctl(feed->wait, EPOLL_CTL_ADD, feed->records.ring.map, &event))
		result = -errno;
	if (result)
		return error_set(error, -result, "the kernel refuses a BPF ring buffer: %s",
			strerror(-result));
	if (request->latency && request->latency < feed->busy_ms * CLOCK_NS_PER_MS)
		feed->busy_ms = (uint32_t)(request->latency / CLOCK_NS_PER_MS);
	maps->wake_bytes = bytes / 2;
	kernel_heard_open(&feed->heard, request->heard);
	feed->shown.heard = request->heard;
	return 0;
}

int kernel_feed_tell_ends(struct kernel_feed *feed, const struct source_request *request,
	const struct bpf_features *features, bool *tells, struct error *error)
{
	bool has_records = request->is_shared;

	for (size_t i = 0; i < request->want_count; i++)
		has_records |= !request->wants[i].reduced;
	*tells = request->tells_thread_ends && has_records;
	return *tells ? kernel_ends_open(&feed->ends, features, feed->records.ring.map, error) : 0;
}

int kernel_feed_count(struct kernel_feed *feed, struct kernel_maps *maps, size_t sites,
	size_t further, struct error *error)
{
	uint32_t bytes = 8 * (KERNEL_COUNTER_SITES + (uint32_t)sites);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *mapped;

	feed->site_count = sites;
	maps->ring = feed->records.ring.map;
	maps->site_count = (uint32_t)sites;
	maps->counters = bpf_map(BPF_MAP_TYPE_ARRAY, 4, bytes, 1, BPF_F_MMAPABLE);
	if (maps->counters < 0)
		return error_set(error, -maps->counters, "the kernel refuses a BPF map: %s",
			strerror(-maps->counters));
	feed->counter_bytes = (bytes + page - 1) & ~(page - 1);
	mapped = mmap(
		NULL, feed->counter_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, maps->counters, 0);
	if (mapped == MAP_FAILED)
		return error_set(error, errno, "the kernel source: %s", strerror(errno));
	feed->counters = mapped;
	feed->counted = calloc(sites + 1, sizeof(*feed->counted));
	feed->losses = calloc(sites + further + 1, sizeof(*feed->losses));
	return feed->counted && feed->losses ? 0 : error_set(error, ENOMEM, "out of memory");
}

int kernel_feed_use_clock(
	struct kernel_feed *feed, const struct kernel_maps *maps, struct error *error)
{
	if (!maps->layout.has_clock)
		return error_set(error, ENOTSUP,
			"vtimestamp: the kernel does not tell where it keeps a thread's CPU time "
			"(/sys/kernel/btf/vmlinux)");
	if (feed->has_times)
		return 0;
	feed->has_times = true;
	return kernel_cpu_time_open(&feed->times, error);
}

void kernel_feed_open_sites(struct kernel_feed *feed, bool is_open)
{
	if (feed->counters)
		__atomic_store_n(
			&feed->counters[KERNEL_COUNTER_OPEN], (uint64_t)is_open, __ATOMIC_RELAXED);
}

/* Adds the content of a record to the batch that is being made. Returns 0 or -ENOMEM. */
static int decode(struct kernel_feed *feed, const struct kernel_feed_methods *methods, void *source,
	const struct kernel_record *record)
{
	struct usdt_unwind *unwind = NULL;
	struct kernel_feed_site site;
	struct kernel_head head;
	bool is_update;
	long process;

	memcpy(&head, record->bytes, sizeof(head));
	if (head.kind == KERNEL_RECORD_END)
		return kernel_decode_end_of_thread(&feed->decoder, record);
	if (!methods->find(source, head.site, &site))
		return 0;
	is_update = head.kind == KERNEL_RECORD_UPDATE && methods->update;
	process = kernel_shown_find(&feed->shown, head.pid,
		is_update ? NULL : kernel_decode_identity(site.plan, record));
	if (process < 0)
		return -ENOMEM;
	if (site.plan->user_frames || is_update)
		unwind = kernel_shown_unwind(&feed->shown, (size_t)process);
	if (is_update)
		return kernel_decode_update(&feed->decoder, record, site.probe, (uint32_t)process,
			methods->update(source, record, unwind));
	return kernel_decode_add(
		&feed->decoder, record, site.plan, site.probe, (uint32_t)process, unwind);
}

/* Decodes the records that no later one can precede. Returns 0 or -ENOMEM. */
static int decode_batch(struct kernel_feed *feed, const struct kernel_feed_methods *methods,
	void *source, struct event_batch *batch)
{
	const struct kernel_record *record;
	int result = 0;

	kernel_decode_begin(&feed->decoder);
	kernel_shown_begin(&feed->shown);
	while (!result && feed->decoder.event_count < BATCH_EVENTS &&
		(record = kernel_records_peek(&feed->records))) {
		kernel_records_take(&feed->records);
		result = decode(feed, methods, source, record);
	}
	kernel_decode_end(&feed->decoder, batch);
	batch->processes = feed->shown.list;
	batch->process_count = feed->shown.count;
	return result;
}

static void add_losses(struct kernel_feed *feed, const struct kernel_feed_methods *methods,
	void *source, struct event_batch *batch)
{
	for (size_t i = 0; i < feed->site_count; i++) {
		uint64_t count = __atomic_load_n(
			&feed->counters[KERNEL_COUNTER_SITES + i], __ATOMIC_RELAXED);
		struct kernel_feed_site site;

		if (count == feed->counted[i] || !methods->find(source, (uint32_t)i, &site))
			continue;
		feed->losses[batch->loss_count++] =
			(struct event_loss){.count = count - feed->counted[i], .probe = site.probe};
		feed->counted[i] = count;
	}
}

static enum source_state take_batch(struct kernel_feed *feed,
	const struct kernel_feed_methods *methods, void *source, struct event_batch *batch,
	struct error *error)
{
	const struct kernel_record *left;
	uint64_t now;
	bool complete;

	if (feed->stopping) {
		methods->detach(source);
		kernel_ends_close(&feed->ends);
	}
	now = clock_monotonic();
	complete = kernel_records_read(&feed->records, feed->stopping);
	kernel_heard_take(&feed->heard);
	if (decode_batch(feed, methods, source, batch)) {
		error_set(error, ENOMEM, "the kernel source is out of memory");
		return SOURCE_BROKEN;
	}
	left = kernel_records_peek(&feed->records);
	batch->losses = feed->losses;
	if (methods->complete)
		methods->complete(source, now, batch);
	if (feed->counters)
		add_losses(feed, methods, source, batch);
	batch->until = left ? left->time - 1 : feed->stopping ? now : feed->records.until;
	batch->wall_offset = (int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic());
	feed->ended = feed->stopping && complete && !left;
	feed->due =
		left ? now : now + (batch->event_count ? feed->busy_ms : IDLE_MS) * CLOCK_NS_PER_MS;
	return SOURCE_MORE;
}

enum source_state kernel_feed_next(struct kernel_feed *feed,
	const struct kernel_feed_methods *methods, void *source, int timeout_ms,
	struct event_batch *batch, struct error *error)
{
	*batch = (struct event_batch){0};
	if (feed->ended)
		return SOURCE_ENDED;
	if (!feed->stopping && !kernel_records_await(feed->wait, feed->due, timeout_ms))
		return SOURCE_IDLE;
	return take_batch(feed, methods, source, batch, error);
}

void kernel_feed_stop(struct kernel_feed *feed)
{
	feed->stopping = true;
	feed->due = 0;
}
