/* mapped_code.c: see mapped_code.h. */
#include "usdt/process/mapped_code.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/clock.h"
#include "base/error.h"
#include "usdt/process/file_store.h"
#include "usdt/process/heard_code.h"
#include "usdt/process/process_images.h"

enum {
	SEGMENTS_MAX = 4096, /* of a file */
	VDSO_MAX = 1 << 20
};

bool mapped_retry_due(struct mapped_retry *retry)
{
	retry->failures++;
	return !(retry->failures & (retry->failures - 1)) || clock_monotonic() >= retry->next;
}

void mapped_retry_done(struct mapped_retry *retry, uint64_t begun)
{
	uint64_t now = clock_monotonic(), pause = (now - begun) * 100;

	retry->next = now + (pause > CLOCK_NS_PER_S ? pause : CLOCK_NS_PER_S);
}

static int compare_areas(const void *a, const void *b)
{
	const struct mapped_area *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool has_code(const struct usdt_object *object)
{
	for (size_t i = 0; i < object->mapping_count; i++)
		if (object->mappings[i].is_executable)
			return true;
	return false;
}

/* The number of a mapped file, which is added if it is new; false if memory runs out. */
static bool keep_file(struct mapped_code *map, const struct usdt_process *process,
	const struct usdt_object *mapped, size_t *number)
{
	struct mapped_file *file;

	for (size_t i = 0; i < map->file_count; i++) {
		file = &map->files[i];
		*number = i;
		if (file->inode == mapped->inode && file->device_major == mapped->device_major &&
			file->device_minor == mapped->device_minor)
			return true;
	}
	if (array_room(&map->files, &map->file_room, map->file_count, sizeof(*file)))
		return false;
	file = &map->files[map->file_count];
	memset(file, 0, sizeof(*file));
	file->path = strdup(mapped->path);
	if (!file->path)
		return false;
	file->inode = mapped->inode;
	file->device_major = mapped->device_major;
	file->device_minor = mapped->device_minor;
	file->stored = file_store_get(map->store, process, mapped);
	*number = map->file_count++;
	return true;
}

static size_t add_object(struct mapped_code *map, const struct usdt_process *process,
	const struct usdt_object *mapped, struct mapped_area *areas)
{
	size_t number;

	if (!has_code(mapped) || !keep_file(map, process, mapped, &number))
		return 0;
	map->files[number].begin = mapped->mappings[0].begin;
	if (mapped->heard_at) /* only its code was heard of */
		map->files[number].begin -= mapped->mappings[0].offset;
	for (size_t i = 0; i < mapped->mapping_count; i++) {
		const struct usdt_mapping *mapping = &mapped->mappings[i];
		areas[i] = (struct mapped_area){mapping->begin, mapping->end, mapping->offset,
			number, mapping->is_executable};
	}
	return mapped->mapping_count;
}

/* What a process has mapped: what it has now, and what was heard of it. NULL: nothing is known. */
static struct usdt_process *find_mappings(const struct mapped_code *map)
{
	const struct heard_mapping *heard = NULL;
	struct usdt_process *process;
	struct error error;
	size_t count = 0;

	if (map->store->heard)
		heard = heard_code_find(map->store->heard, (uint32_t)map->pid, &count);
	if (usdt_process_map(map->pid, &process, &error))
		process = heard ? usdt_process_ended(map->pid) : NULL;
	if (process && heard && usdt_process_hear(process, heard, count)) {
		usdt_process_free(process);
		process = NULL;
	}
	return process;
}

/* Reads the present mappings; if that fails, the old ones stay. */
static void mapped_code_read(struct mapped_code *map)
{
	struct usdt_process *process;
	struct mapped_area *areas;
	uint64_t begun = clock_monotonic();
	size_t count;

	map->generation++;
	process = find_mappings(map);
	if (!process)
		goto done;
	count = process->anonymous_count + 1 + process->former_vdso_count;
	for (size_t i = 0; i < process->object_count; i++)
		count += process->objects[i].mapping_count;
	areas = calloc(count, sizeof(*areas));
	if (!areas)
		goto out;
	count = 0;
	for (size_t i = 0; i < process->object_count; i++)
		count += add_object(map, process, &process->objects[i], areas + count);
	for (size_t i = 0; i < process->anonymous_count; i++)
		areas[count++] = (struct mapped_area){process->anonymous[i].begin,
			process->anonymous[i].end, 0, MAPPED_ANONYMOUS, true};
	if (process->vdso.begin)
		areas[count++] = (struct mapped_area){
			process->vdso.begin, process->vdso.end, 0, MAPPED_VDSO, true};
	for (size_t i = 0; i < process->former_vdso_count; i++)
		areas[count++] = (struct mapped_area){process->former_vdsos[i].begin,
			process->former_vdsos[i].end, 0, MAPPED_VDSO, true};
	qsort(areas, count, sizeof(*areas), compare_areas);
	free(map->areas);
	map->areas = areas;
	map->area_count = count;
out:
	usdt_process_free(process);
done:
	mapped_retry_done(&map->retry, begun);
}

void mapped_code_open(struct mapped_code *map, pid_t pid, struct file_store *store)
{
	memset(map, 0, sizeof(*map));
	map->store = store;
	map->pid = pid;
	mapped_code_read(map);
}

void mapped_code_close(struct mapped_code *map)
{
	for (size_t i = 0; i < map->file_count; i++)
		free(map->files[i].path);
	free(map->files);
	free(map->areas);
	memset(map, 0, sizeof(*map));
}

const struct mapped_area *mapped_code_known(const struct mapped_code *map, uint64_t address)
{
	const size_t low = map->area_count
		? bisect_up_to(&map->areas[0].end, map->area_count, sizeof(map->areas[0]), address)
		: 0;

	return low < map->area_count && map->areas[low].begin <= address ? &map->areas[low] : NULL;
}

const struct mapped_area *mapped_code_find(struct mapped_code *map, uint64_t address)
{
	const struct mapped_area *area = mapped_code_known(map, address);

	if (area || !mapped_retry_due(&map->retry))
		return area;
	mapped_code_read(map);
	return mapped_code_known(map, address);
}

const char *mapped_file_name(const struct mapped_file *file)
{
	const char *slash = strrchr(file->path, '/');

	return slash ? slash + 1 : file->path;
}

Elf *mapped_vdso_open(void)
{
	struct usdt_process *process;
	struct error error;
	Elf *elf = NULL;

	elf_version(EV_CURRENT);
	if (usdt_process_map(getpid(), &process, &error))
		return NULL;
	if (process->vdso.begin && process->vdso.begin == getauxval(AT_SYSINFO_EHDR) &&
		process->vdso.end - process->vdso.begin <= VDSO_MAX)
		elf = elf_memory((char *)(uintptr_t)process->vdso.begin,
			process->vdso.end - process->vdso.begin);
	usdt_process_free(process);
	return elf;
}

struct mapped_segment *mapped_segments_read(Elf *elf, size_t *count)
{
	struct mapped_segment *segments;
	size_t headers;

	*count = 0;
	if (elf_getphdrnum(elf, &headers) || !headers)
		return NULL;
	if (headers > SEGMENTS_MAX)
		headers = SEGMENTS_MAX;
	segments = calloc(headers, sizeof(*segments));
	for (size_t i = 0; segments && i < headers; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD)
			segments[(*count)++] = (struct mapped_segment){
				header.p_vaddr, header.p_offset, header.p_filesz};
	}
	return segments;
}

bool mapped_segments_address(
	const struct mapped_segment *segments, size_t count, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < count; i++) {
		const struct mapped_segment *segment = &segments[i];
		if (offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		*address = offset - segment->offset + segment->address;
		return true;
	}
	return false;
}
