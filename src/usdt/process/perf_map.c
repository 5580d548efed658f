/* perf_map.c: see perf_map.h. */
#include "usdt/process/perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/clock.h"
#include "base/process_stat.h"

enum {
	TEXT_MAX = 64 << 20, /* bytes that are read of a process's file, ever */
	FUNCTIONS_MAX = 1 << 20,
	OVERLAPS_MAX = 16 /* how many functions to look back at when functions overlap */
};

/* The process's number in its own namespace, by which it names its file. */
static pid_t own_pid(pid_t pid)
{
	char numbers[256];
	const char *last;

	if (!process_status_value((uint32_t)pid, "NSpid", numbers, sizeof(numbers)))
		return pid;
	last = strrchr(numbers, '\t');
	return (pid_t)strtol(last ? last + 1 : numbers, NULL, 10);
}

void perf_map_open(struct perf_map *map, pid_t pid)
{
	struct stat process, root, ours;
	char path[64];

	memset(map, 0, sizeof(*map));
	map->pid = pid;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	map->is_kept = stat(path, &process) == 0;
	if (map->is_kept)
		map->owner = process.st_uid;
	snprintf(path, sizeof(path), "/proc/%d/root/", (int)pid);
	map->is_kept = map->is_kept && !stat(path, &root) && !stat("/", &ours) &&
		root.st_dev == ours.st_dev && root.st_ino == ours.st_ino;
	snprintf(map->module, sizeof(map->module), "perf-%d.map", (int)own_pid(pid));
}

void perf_map_close(struct perf_map *map)
{
	for (size_t i = 0; i < map->chunk_count; i++)
		free(map->chunks[i]);
	free(map->chunks);
	free(map->functions);
	memset(map, 0, sizeof(*map));
}

static int compare(const void *a, const void *b)
{
	const struct perf_map_function *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static bool add_function(struct perf_map *map, const struct perf_map_function *function)
{
	if (map->count == FUNCTIONS_MAX ||
		array_room(&map->functions, &map->capacity, map->count, sizeof(*map->functions)))
		return false;
	map->functions[map->count++] = *function;
	return true;
}

/* A hexadecimal number and the space after it. strtoull() would also take signs and spaces. */
static bool read_number(char **at, uint64_t *number)
{
	char *from = *at;
	unsigned digits = 0;

	*number = 0;
	if (from[0] == '0' && (from[1] == 'x' || from[1] == 'X'))
		from += 2;
	for (; digits < 17; digits++, from++) {
		char c = *from;
		if (c >= '0' && c <= '9')
			*number = *number << 4 | (uint64_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			*number = *number << 4 | (uint64_t)((c | 0x20) - 'a' + 10);
		else
			break;
	}
	if (!digits || digits > 16 || *from != ' ')
		return false;
	*at = from + 1;
	return true;
}

static bool keep_chunk(struct perf_map *map, char *text)
{
	if (array_room(&map->chunks, &map->chunk_room, map->chunk_count, sizeof(*map->chunks)))
		return false;
	map->chunks[map->chunk_count++] = text;
	return true;
}

/* "Lorg/Class;::method", in place. Returns NULL if it is none. */
static char *agent_name(char *name)
{
	char *end = strstr(name, ";::");
	size_t method;

	if (*name != 'L' || !end || end == name + 1 || !end[3] ||
		strcspn(name, "; ()") != (size_t)(end - name))
		return NULL;
	for (char *at = name; at < end; at++)
		if (*at == '/')
			*at = '.';
	method = strlen(end + 3);
	memmove(end + 1, end + 3, method + 1);
	*end = '#';
	return name + 1;
}

/* "int org.Class.method(long, org.Other[])", in place. Returns NULL if it is none. */
static char *jcmd_name(char *name)
{
	char *class = strchr(name, ' '), *open = class ? strchr(class, '(') : NULL, *method;

	if (!open || class == name || name[strlen(name) - 1] != ')')
		return NULL;
	*open = '\0';
	method = strrchr(++class, '.');
	if (!method || method == class || !method[1] || strpbrk(name, ":()") ||
		strpbrk(class, " []")) {
		*open = '(';
		return NULL;
	}
	*method = '#';
	return class;
}

void perf_map_add(struct perf_map *map, char *text, size_t size)
{
	char *end = text + size;

	if (!keep_chunk(map, text)) {
		free(text);
		return;
	}
	while (text < end) {
		char *newline = memchr(text, '\n', (size_t)(end - text)), *at = text;
		struct perf_map_function function = {.line = map->line_count};
		if (!newline)
			break;
		*newline = '\0';
		if (newline > text && newline[-1] == '\r')
			newline[-1] = '\0';
		text = newline + 1;
		if (!read_number(&at, &function.begin) || !read_number(&at, &function.size) ||
			!*at || !function.size)
			continue;
		function.name = agent_name(at);
		if (!function.name)
			function.name = jcmd_name(at);
		if (!function.name)
			function.name = at;
		if (!add_function(map, &function))
			break;
		map->line_count++;
	}
	if (map->count)
		qsort(map->functions, map->count, sizeof(*map->functions), compare);
}

/* Opens the file if it is the process's own; a file of another user could tell us anything. */
static int open_file(const struct perf_map *map, struct stat *status)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	uint32_t owner = map->owner;
	struct stat process;
	char path[128];
	int file = -1;

	snprintf(path, sizeof(path), "/proc/%d", (int)map->pid);
	if (!stat(path, &process)) {
		owner = process.st_uid;
		snprintf(path, sizeof(path), "/proc/%d/root/tmp/%s", (int)map->pid, map->module);
		file = open(path, flags);
	}
	if (file < 0 && map->is_kept) {
		owner = map->owner;
		snprintf(path, sizeof(path), "/tmp/%s", map->module);
		file = open(path, flags);
	}
	if (file < 0)
		return -1;
	if (fstat(file, status) || !S_ISREG(status->st_mode) ||
		(status->st_uid != owner && status->st_uid != 0)) {
		close(file);
		return -1;
	}
	return file;
}

/* The file's complete lines from the offset on; NULL if there are none. */
static char *read_lines(int file, uint64_t offset, size_t limit, size_t *size)
{
	char *text = malloc(limit + 1);
	ssize_t got = 0;
	size_t count = 0;

	while (text && count < limit &&
		(got = pread(file, text + count, limit - count, (off_t)(offset + count))) > 0)
		count += (size_t)got;
	while (count && text[count - 1] != '\n')
		count--;
	*size = count;
	if (!count) {
		free(text);
		return NULL;
	}
	return text;
}

static void read_more(struct perf_map *map)
{
	uint64_t begun = clock_monotonic(), left;
	struct stat status;
	int file = open_file(map, &status);
	char *text;
	size_t size;

	if (file >= 0) {
		/* another file than before, or written anew: it is read from its beginning */
		if (status.st_ino != map->inode || (uint64_t)status.st_size < map->offset)
			map->offset = 0;
		map->inode = status.st_ino;
		left = (uint64_t)status.st_size - map->offset;
		if (left > TEXT_MAX - map->text_size)
			left = TEXT_MAX - map->text_size;
		text = left ? read_lines(file, map->offset, (size_t)left, &size) : NULL;
		if (text) {
			map->offset += size;
			map->text_size += size;
			perf_map_add(map, text, size);
		}
		close(file);
	}
	mapped_retry_done(&map->retry, begun);
}

static const struct perf_map_function *find_mapped(const struct perf_map *map, uint64_t address)
{
	const struct perf_map_function *best = NULL;
	const size_t low = map->count ? bisect_up_to(&map->functions[0].begin, map->count,
						sizeof(map->functions[0]), address)
				      : 0;

	for (size_t i = low; i > 0 && low - i < OVERLAPS_MAX; i--) {
		const struct perf_map_function *function = &map->functions[i - 1];
		if (address - function->begin < function->size &&
			(!best || function->line > best->line))
			best = function;
	}
	return best;
}

const struct perf_map_function *perf_map_find(struct perf_map *map, uint64_t address)
{
	const struct perf_map_function *function = find_mapped(map, address);

	if (function || !mapped_retry_due(&map->retry))
		return function;
	read_more(map);
	return find_mapped(map, address);
}
