/*
 * scanned_files.c: see scanned_files.h. Mappings of a process wait until it has been scanned; their
 * files count as seen only then. When too many files are remembered, all are forgotten, which costs
 * scans but misses nothing.
 */
#include "kernel/watch/scanned_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/text.h"

enum {
	SEEN_MAX = 1 << 16, /* when there are more, all are forgotten, and scanned again */
	PATH_ROOM = 4096 + 64
};

int kernel_unseen_open(struct kernel_unseen *unseen, struct error *error)
{
	*unseen = (struct kernel_unseen){0};
	return kernel_mapped_open(&unseen->mapped, false, error);
}

void kernel_unseen_close(struct kernel_unseen *unseen)
{
	kernel_mapped_close(&unseen->mapped);
	hash_table_free(&unseen->by_file);
	free(unseen->seen);
	free(unseen->waiting);
	*unseen = (struct kernel_unseen){0};
}

static uint32_t hash_of(const struct kernel_unseen_file *file)
{
	return text_hash((const char *)file, sizeof(*file));
}

static bool is_file(const void *seen, uint32_t index, const void *file)
{
	return !memcmp(&((const struct kernel_unseen_file *)seen)[index], file,
		sizeof(struct kernel_unseen_file));
}

static bool is_seen(const struct kernel_unseen *unseen, const struct kernel_unseen_file *file)
{
	return hash_table_find(&unseen->by_file, hash_of(file), is_file, unseen->seen, file) !=
		HASH_TABLE_NONE;
}

/* Marks a file as seen. If memory runs out, it stays unseen. */
static void see(struct kernel_unseen *unseen, const struct kernel_unseen_file *file)
{
	if (is_seen(unseen, file))
		return;
	if (unseen->seen_count >= SEEN_MAX) {
		hash_table_clear(&unseen->by_file);
		unseen->seen_count = 0;
	}
	if (!array_room(&unseen->seen, &unseen->seen_capacity, unseen->seen_count,
		    sizeof(*unseen->seen)) &&
		!hash_table_add(&unseen->by_file, hash_of(file), (uint32_t)unseen->seen_count))
		unseen->seen[unseen->seen_count++] = *file;
}

/* Returns when the file was changed last; 0: it has no path any more, or the process has ended. */
static int64_t changed_at(const struct kernel_mapped_event *event)
{
	char path[PATH_ROOM];
	struct stat status;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root%s", event->pid, event->path);
	return stat(path, &status)
		? 0
		: (int64_t)status.st_ctim.tv_sec * (int64_t)CLOCK_NS_PER_S + status.st_ctim.tv_nsec;
}

static bool waits(const struct kernel_unseen *unseen, uint32_t pid)
{
	for (size_t i = 0; i < unseen->waiting_count; i++)
		if (unseen->waiting[i].pid == pid)
			return true;
	return false;
}

/* Returns whether the process has to be scanned because of this mapping. */
static bool take_mapping(struct kernel_unseen *unseen, const struct kernel_mapped_event *event)
{
	struct kernel_unseen_file file;
	bool is_told = waits(unseen, event->pid);

	memset(&file, 0, sizeof(file));
	file.inode = event->inode;
	file.generation = event->generation;
	file.changed = changed_at(event);
	file.device_major = event->device_major;
	file.device_minor = event->device_minor;
	if (is_seen(unseen, &file))
		return false;
	/* without memory the file stays unseen, and a scan that has begun may lack it */
	if (array_room(&unseen->waiting, &unseen->waiting_capacity, unseen->waiting_count,
		    sizeof(*unseen->waiting)))
		return true;
	unseen->waiting[unseen->waiting_count++] =
		(struct kernel_unseen_mapping){.file = file, .pid = event->pid};
	return !is_told;
}

bool kernel_unseen_next(struct kernel_unseen *unseen, struct kernel_unseen_event *event)
{
	struct kernel_mapped_event mapped;

	while (kernel_mapped_next(&unseen->mapped, &mapped)) {
		*event = (struct kernel_unseen_event){
			.pid = mapped.pid, .time = mapped.time, .path = mapped.path};
		switch (mapped.kind) {
		case KERNEL_MAPPED_CODE:
			event->kind = KERNEL_UNSEEN_FILE;
			if (take_mapping(unseen, &mapped))
				return true;
			break;
		case KERNEL_MAPPED_VDSO:
			break;
		case KERNEL_MAPPED_PROGRAM:
			event->kind = KERNEL_UNSEEN_PROGRAM;
			return true;
		default:
			event->kind = KERNEL_UNSEEN_LOST;
			return true;
		}
	}
	return false;
}

void kernel_unseen_learn(struct kernel_unseen *unseen, uint32_t pid, bool is_complete)
{
	size_t kept = 0;

	for (size_t i = 0; i < unseen->waiting_count; i++) {
		const struct kernel_unseen_mapping mapping = unseen->waiting[i];

		if (mapping.pid != pid)
			unseen->waiting[kept++] = mapping;
		else if (is_complete)
			see(unseen, &mapping.file);
	}
	unseen->waiting_count = kept;
}
