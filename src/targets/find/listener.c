/*
 * listener.c: see listener.h. The process's descriptors give the inodes of its sockets; the
 * table of Unix sockets of its network namespace says which of them listen, and where.
 */
#include "targets/find/listener.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "wire/place.h"

enum {
	FLAG_LISTENS = 0x10000,
	TYPE_STREAM = 1,
	STATE_CONNECTING = 2, /* not accepted yet */
	STATE_CONNECTED = 3,
	SOCKETS_MAX = 65536
};

struct sockets {
	unsigned long *inodes;
	size_t count, capacity;
};

static bool has_thread(uint32_t pid)
{
	char path[300], line[64];
	struct dirent *entry;
	bool found = false;
	DIR *tasks;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	tasks = opendir(path);
	while (tasks && !found && (entry = readdir(tasks))) {
		if (entry->d_name[0] == '.' || strtoul(entry->d_name, NULL, 10) == pid)
			continue;
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%.32s/comm", pid,
			entry->d_name);
		file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(line, sizeof(line), file)) {
			line[strcspn(line, "\n")] = '\0';
			found = !strcmp(line, PLACE_MARK);
		}
		fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return found;
}

/* Returns whether the process has the descriptor of one that serves without a thread of the
 * library's. */
static bool has_file(uint32_t pid)
{
	static const char name[] = "/memfd:" PLACE_MARK " (deleted)";
	char path[64], target[sizeof(name)];
	struct dirent *entry;
	bool found = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd", pid);
	folder = opendir(path);
	while (folder && !found && (entry = readdir(folder)))
		found = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target)) ==
				(ssize_t)sizeof(name) - 1 &&
			!memcmp(target, name, sizeof(name) - 1);
	if (folder)
		closedir(folder);
	return found;
}

bool listener_is_marked(uint32_t pid)
{
	return has_thread(pid) || has_file(pid);
}

static bool add_inode(struct sockets *sockets, unsigned long inode)
{
	if (array_room(
		    &sockets->inodes, &sockets->capacity, sockets->count, sizeof(*sockets->inodes)))
		return false;
	sockets->inodes[sockets->count++] = inode;
	return true;
}

static int compare_inodes(const void *one, const void *other)
{
	unsigned long left = *(const unsigned long *)one, right = *(const unsigned long *)other;

	return (left > right) - (left < right);
}

/* Reads the inodes of the process's sockets, sorted. */
static void read_descriptors(uint32_t pid, struct sockets *sockets)
{
	char path[64], target[64];
	struct dirent *entry;
	unsigned long inode;
	ssize_t length;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd", pid);
	folder = opendir(path);
	while (folder && sockets->count < SOCKETS_MAX && (entry = readdir(folder))) {
		length = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
		if (length <= 0)
			continue;
		target[length] = '\0';
		if (sscanf(target, "socket:[%lu]", &inode) == 1 && !add_inode(sockets, inode))
			break;
	}
	if (folder)
		closedir(folder);
	if (sockets->count)
		qsort(sockets->inodes, sockets->count, sizeof(*sockets->inodes), compare_inodes);
}

/* Returns the path in a line of the table if one of these sockets listens there; else NULL. */
static char *listening_path(char *line, const struct sockets *sockets)
{
	unsigned long flags, inode;
	unsigned int type;
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%*s %*s %*s %lx %x %*s %lu %n", &flags, &type, &inode, &at) < 3 || !at)
		return NULL;
	if (!(flags & FLAG_LISTENS) || type != TYPE_STREAM || !line[at] || line[at] == '@')
		return NULL;
	return bsearch(&inode, sockets->inodes, sockets->count, sizeof(*sockets->inodes),
		       compare_inodes)
		? line + at
		: NULL;
}

char **listener_paths(uint32_t pid, size_t *count)
{
	struct sockets sockets = {0};
	char table[64], *line = NULL, *path, **paths = NULL;
	size_t capacity = 0, path_capacity = 0;
	FILE *file = NULL;

	*count = 0;
	read_descriptors(pid, &sockets);
	snprintf(table, sizeof(table), "/proc/%" PRIu32 "/net/unix", pid);
	if (sockets.count)
		file = fopen(table, "re");
	while (file && getline(&line, &capacity, file) > 0) {
		path = listening_path(line, &sockets);
		if (!path)
			continue;
		if (array_room(&paths, &path_capacity, *count, sizeof(*paths)))
			break;
		paths[*count] = strdup(path);
		if (!paths[*count])
			break;
		++*count;
	}
	if (file)
		fclose(file);
	free(line);
	free(sockets.inodes);
	return paths;
}

void listener_free(char **paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(paths[i]);
	free(paths);
}

size_t listener_connections(uint32_t pid, const char *path)
{
	char table[64], *line = NULL;
	size_t capacity = 0, connections = 0;
	unsigned int type, state;
	FILE *file;

	snprintf(table, sizeof(table), "/proc/%" PRIu32 "/net/unix", pid);
	file = fopen(table, "re");
	while (file && getline(&line, &capacity, file) > 0) {
		int at = 0;
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%*s %*s %*s %*s %x %x %*s %n", &type, &state, &at) == 2 && at &&
			type == TYPE_STREAM &&
			(state == STATE_CONNECTED || state == STATE_CONNECTING) &&
			!strcmp(line + at, path))
			connections++;
	}
	if (file)
		fclose(file);
	free(line);
	return connections;
}
