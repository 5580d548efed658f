/*
 * code_mappings.c: see code_mappings.h. Each processor has a queue in shared memory. A record is
 * copied out and released at once, so that the kernel has room again. Do not trust that its ids are
 * of our pid namespace.
 */
#include "kernel/watch/code_mappings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "usdt/process/process_images.h"

enum {
	QUEUE_BYTES = 128 << 10, /* a power of two: about 1000 mappings */
	RECORD_MAX = 1 << 16     /* by its header */
};

struct kernel_mapped_queue {
	int descriptor;
	struct perf_event_mmap_page *page; /* then the records */
	size_t page_bytes;
};

/* A mapping's record after the header; the path follows. */
struct mapping_record {
	uint32_t pid, tid;
	uint64_t address, length, offset;
	uint32_t device_major, device_minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
};

static int open_queue(struct kernel_mapped_queue *queue, int processor, bool tells_forks)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = tells_forks,
		.watermark = 1,
		.wakeup_watermark = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC};

	queue->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	queue->descriptor = (int)syscall(
		SYS_perf_event_open, &attributes, -1, processor, -1, PERF_FLAG_FD_CLOEXEC);
	if (queue->descriptor < 0)
		return -errno;
	queue->page = mmap(NULL, queue->page_bytes + QUEUE_BYTES, PROT_READ | PROT_WRITE,
		MAP_SHARED, queue->descriptor, 0);
	if (queue->page != MAP_FAILED)
		return 0;
	queue->page = NULL;
	return -errno;
}

int kernel_mapped_open(struct kernel_mapped *mapped, bool tells_forks, struct error *error)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	int result = 0;

	*mapped = (struct kernel_mapped){
		.queues = calloc((size_t)processors, sizeof(*mapped->queues)),
		.record = malloc(RECORD_MAX)};
	if (!mapped->queues || !mapped->record)
		return error_set(error, ENOMEM, "out of memory");
	for (int i = 0; i < processors && !result; i++) {
		result = open_queue(&mapped->queues[mapped->queue_count++], i, tells_forks);
		if (result != -ENODEV)
			continue;
		mapped->queue_count--; /* the processor is switched off */
		result = 0;
	}
	return result ? error_set(error, -result,
				"the kernel does not tell which files processes map: %s",
				strerror(-result))
		      : 0;
}

void kernel_mapped_close(struct kernel_mapped *mapped)
{
	for (size_t i = 0; i < mapped->queue_count; i++) {
		struct kernel_mapped_queue *queue = &mapped->queues[i];

		if (queue->page)
			munmap(queue->page, queue->page_bytes + QUEUE_BYTES);
		if (queue->descriptor >= 0)
			close(queue->descriptor);
	}
	free(mapped->queues);
	free(mapped->record);
	*mapped = (struct kernel_mapped){0};
}

int kernel_mapped_descriptor(const struct kernel_mapped *mapped, size_t number)
{
	return number < mapped->queue_count ? mapped->queues[number].descriptor : -1;
}

static uint64_t written_to(const struct kernel_mapped_queue *queue)
{
	return __atomic_load_n(&queue->page->data_head, __ATOMIC_ACQUIRE);
}

bool kernel_mapped_waits(const struct kernel_mapped *mapped)
{
	for (size_t i = 0; i < mapped->queue_count; i++)
		if (written_to(&mapped->queues[i]) != mapped->queues[i].page->data_tail)
			return true;
	return false;
}

static void copy_bytes(
	const struct kernel_mapped_queue *queue, uint64_t from, void *to, size_t bytes)
{
	const char *data = (const char *)queue->page + queue->page_bytes;
	size_t begin = (size_t)(from % QUEUE_BYTES);
	size_t first = bytes < QUEUE_BYTES - begin ? bytes : QUEUE_BYTES - begin;

	memcpy(to, data + begin, first);
	memcpy((char *)to + first, data, bytes - first);
}

/* Takes a queue's next record. Returns its size, or 0 if there is none. */
static size_t take_record(struct kernel_mapped *mapped, struct kernel_mapped_queue *queue)
{
	uint64_t end = written_to(queue), from = queue->page->data_tail;
	struct perf_event_header header;

	if (end - from < sizeof(header))
		return 0;
	copy_bytes(queue, from, &header, sizeof(header));
	if (header.size < sizeof(header) || header.size > end - from)
		return 0;
	copy_bytes(queue, from, mapped->record, header.size);
	__atomic_store_n(&queue->page->data_tail, from + header.size, __ATOMIC_RELEASE);
	return header.size;
}

/* Reads a record. Returns false if it is of no interest. */
static bool read_record(
	const struct kernel_mapped *mapped, size_t size, struct kernel_mapped_event *event)
{
	const char *body = mapped->record + sizeof(struct perf_event_header);
	struct perf_event_header header;
	struct mapping_record mapping;

	memcpy(&header, mapped->record, sizeof(header));
	if (size < sizeof(header) + 2 * sizeof(uint64_t))
		return false;
	*event = (struct kernel_mapped_event){.kind = KERNEL_MAPPED_LOST};
	memcpy(&event->time, mapped->record + size - sizeof(event->time), sizeof(event->time));
	if (header.type == PERF_RECORD_LOST)
		return true;
	memcpy(&event->pid, body, sizeof(event->pid));
	if (!event->pid || event->pid > INT32_MAX) /* not in our pid namespace */
		return false;
	if (header.type == PERF_RECORD_FORK) {
		event->kind = KERNEL_MAPPED_FORK;
		memcpy(&event->parent, body + sizeof(event->pid), sizeof(event->parent));
		/* it reports threads, too */
		return event->parent && event->parent != event->pid;
	}
	event->kind = KERNEL_MAPPED_PROGRAM;
	if (header.type == PERF_RECORD_COMM)
		return header.misc & PERF_RECORD_MISC_COMM_EXEC;
	if (header.type != PERF_RECORD_MMAP2 ||
		size <= sizeof(header) + sizeof(mapping) + sizeof(event->time))
		return false;
	memcpy(&mapping, body, sizeof(mapping));
	event->kind = KERNEL_MAPPED_CODE;
	event->path = body + sizeof(mapping);
	event->address = mapping.address;
	event->length = mapping.length;
	event->offset = mapping.offset;
	event->inode = mapping.inode;
	event->generation = mapping.generation;
	event->device_major = mapping.device_major;
	event->device_minor = mapping.device_minor;
	if (!strcmp(event->path, USDT_VDSO_PATH))
		event->kind = KERNEL_MAPPED_VDSO;
	return event->kind == KERNEL_MAPPED_VDSO || (mapping.inode && *event->path == '/');
}

bool kernel_mapped_next(struct kernel_mapped *mapped, struct kernel_mapped_event *event)
{
	for (size_t i = 0; i < mapped->queue_count; i++) {
		size_t size;

		while ((size = take_record(mapped, &mapped->queues[i])))
			if (read_record(mapped, size, event))
				return true;
	}
	return false;
}
