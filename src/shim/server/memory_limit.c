/*
 * memory_limit.c: see memory_limit.h. Reads files of /proc and of the control groups; one that
 * cannot be read sets no limit.
 */
#include "shim/server/memory_limit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* A file, read by lines. */
struct lines {
	int file;
	size_t start, end;
	char bytes[PATH_MAX];
};

/* The group of the process in a hierarchy. */
struct group {
	bool known;
	char path[PATH_MAX];
};

static uint64_t least(uint64_t one, uint64_t other)
{
	return one < other ? one : other;
}

static void open_lines(struct lines *lines, const char *root, const char *path)
{
	char name[PATH_MAX];

	lines->start = lines->end = 0;
	lines->file = snprintf(name, sizeof(name), "%s%s", root, path) < (int)sizeof(name)
		? open(name, O_RDONLY | O_CLOEXEC)
		: -1;
}

/* Returns the next line without its end, NULL after the last. A line that is too long counts as
 * several. */
static char *next_line(struct lines *lines)
{
	ssize_t got = 1;

	while (lines->file >= 0) {
		char *line = lines->bytes + lines->start;
		size_t length = lines->end - lines->start;
		char *end = memchr(line, '\n', length);

		if (end || (length && (!got || length == sizeof(lines->bytes) - 1))) {
			end = end ? end : line + length;
			*end = '\0';
			lines->start = (size_t)(end - lines->bytes) + 1;
			if (lines->start > lines->end)
				lines->start = lines->end;
			return line;
		}
		if (got <= 0)
			break;
		memmove(lines->bytes, line, length);
		lines->start = 0;
		got = read(lines->file, lines->bytes + length, sizeof(lines->bytes) - 1 - length);
		lines->end = length + (got > 0 ? (size_t)got : 0);
	}
	return NULL;
}

static void close_lines(struct lines *lines)
{
	if (lines->file >= 0)
		close(lines->file);
}

/* Returns true if a list whose items are separated by commas has the item "memory". */
static bool has_memory(const char *list, size_t length)
{
	static const char item[] = "memory";
	size_t size = sizeof(item) - 1;

	for (size_t i = 0; i + size <= length; i++)
		if ((i == 0 || list[i - 1] == ',') && !memcmp(list + i, item, size) &&
			(i + size == length || list[i + size] == ','))
			return true;
	return false;
}

/* Finds the process's groups in /proc/self/cgroup, whose lines are NUMBER:CONTROLLERS:PATH. */
static void find_groups(
	const char *root, struct lines *lines, struct group *first, struct group *second)
{
	char *line, *controllers, *path;

	open_lines(lines, root, "/proc/self/cgroup");
	while ((line = next_line(lines))) {
		struct group *group = NULL;

		controllers = strchr(line, ':');
		path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			continue;
		if (path == controllers + 1)
			group = second;
		else if (has_memory(controllers + 1, (size_t)(path - controllers - 1)))
			group = first;
		if (group)
			group->known = snprintf(group->path, sizeof(group->path), "%s", path + 1) <
				(int)sizeof(group->path);
	}
	close_lines(lines);
}

static uint64_t read_limit(const char *path)
{
	char text[32];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, sizeof(text) - 1);

	if (file >= 0)
		close(file);
	if (length <= 0 || text[0] < '0' || text[0] > '9') /* "max" */
		return UINT64_MAX;
	text[length] = '\0';
	return strtoull(text, NULL, 10);
}

/* Returns the least limit of a group and those that contain it, as far as they are mounted. top is
 * the group that is mounted at place. */
static uint64_t group_limit(const char *root, const char *place, const char *top,
	const struct group *group, const char *name)
{
	const char *inside = group->path;
	uint64_t limit = UINT64_MAX;
	char path[PATH_MAX];
	size_t base, length;

	if (!group->known)
		return UINT64_MAX;
	if (strcmp(top, "/")) {
		length = strlen(top);
		inside = !strncmp(inside, top, length) && strchr("/", inside[length])
			? inside + length
			: "";
	}
	if (strstr(inside, "/..") || !strcmp(inside, "/")) /* outside the mounted groups */
		inside = "";
	length = (size_t)snprintf(path, sizeof(path), "%s%s%s", root, place, inside);
	base = strlen(root) + strlen(place);
	while (length + strlen(name) + 1 < sizeof(path)) {
		snprintf(path + length, sizeof(path) - length, "/%s", name);
		limit = least(limit, read_limit(path));
		if (length <= base)
			break;
		while (length > base && path[--length] != '/')
			;
	}
	return limit;
}

/* Reads the limits where the hierarchies are mounted. Lines of /proc/self/mountinfo are
 * ID PARENT DEVICE TOP PLACE OPTIONS... - TYPE SOURCE OPTIONS. */
static uint64_t groups_limit(const char *root)
{
	struct {
		struct lines lines;
		struct group first, second;
	} *parts = calloc(1, sizeof(*parts));
	uint64_t limit = UINT64_MAX;
	char *line;

	if (!parts)
		return limit;
	find_groups(root, &parts->lines, &parts->first, &parts->second);
	open_lines(&parts->lines, root, "/proc/self/mountinfo");
	while ((line = next_line(&parts->lines))) {
		char *rest = strstr(line, " - cgroup"), *fields[6] = {line}, *options;
		unsigned count = 1;

		for (char *at = line; rest && count < 6 && (at = strchr(at, ' ')); count++) {
			*at++ = '\0';
			fields[count] = at;
		}
		if (count < 6)
			continue;
		rest += strlen(" - cgroup");
		options = strrchr(rest, ' ');
		if (!strncmp(rest, "2 ", 2))
			limit = least(limit,
				group_limit(
					root, fields[4], fields[3], &parts->second, "memory.max"));
		else if (*rest == ' ' && has_memory(options + 1, strlen(options + 1)))
			limit = least(limit,
				group_limit(root, fields[4], fields[3], &parts->first,
					"memory.limit_in_bytes"));
	}
	close_lines(&parts->lines);
	free(parts);
	return limit;
}

uint64_t memory_limit(const char *root)
{
	uint64_t limit = groups_limit(root);
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	struct rlimit space;

	if (pages > 0 && page > 0)
		limit = least(limit, (uint64_t)pages * (uint64_t)page);
	if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY)
		limit = least(limit, space.rlim_cur);
	return limit;
}
