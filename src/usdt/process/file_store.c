/*
 * file_store.c: see file_store.h. Open files are a list, the newest first. Reading is put off,
 * since most files that a process maps are never asked for; more than OPEN_MAX descriptors are
 * never held.
 */
#include "usdt/process/file_store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "usdt/process/process_images.h"

enum { OPEN_MAX = 128 /* files that wait to be read; with more, the oldest is read at once */ };

struct stored_file {
	struct stat status; /* only what identifies the file is used */
	char *path;
	int file; /* -1: it has been read and closed */
	void *content;
	struct stored_file *next; /* that is open */
};

void file_store_begin(struct file_store *store, const struct file_store_owner *owner)
{
	*store = (struct file_store){.owner = *owner};
}

void file_store_end(struct file_store *store)
{
	for (uint32_t i = 0; i < store->table.count; i++) {
		struct stored_file *file = store->files[i];

		if (file->file >= 0)
			close(file->file);
		if (file->content)
			store->owner.free(file->content);
		free(file->path);
		free(file);
	}
	free(store->files);
	hash_table_free(&store->table);
	*store = (struct file_store){.owner = store->owner, .heard = store->heard};
}

static bool is_file(const void *files, uint32_t index, const void *status)
{
	const struct stat *one = &((struct stored_file *const *)files)[index]->status;
	const struct stat *other = status;

	return one->st_ino == other->st_ino && one->st_dev == other->st_dev &&
		one->st_ctim.tv_sec == other->st_ctim.tv_sec &&
		one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

static uint32_t file_hash(const struct stat *status)
{
	return hash_table_number((uint64_t)status->st_ino ^ (uint64_t)status->st_dev << 40 ^
		(uint64_t)status->st_ctim.tv_nsec);
}

/* NULL: such a file is not known. */
static struct stored_file *find_file(const struct file_store *store, const struct stat *status)
{
	uint32_t index =
		hash_table_find(&store->table, file_hash(status), is_file, store->files, status);

	return index == HASH_TABLE_NONE ? NULL : store->files[index];
}

/* Opens the file itself only if its status cannot be had otherwise. */
static bool find_status(const struct usdt_process *process, const struct usdt_object *object,
	struct stat *status, int *opened)
{
	if (usdt_object_status(process, object, status))
		return true;
	*opened = usdt_object_file(process, object);
	return *opened >= 0 && !fstat(*opened, status);
}

static void read_file(struct file_store *store, struct stored_file *file)
{
	struct stored_file **at = &store->opened;

	while (*at != file)
		at = &(*at)->next;
	*at = file->next;
	store->open_count--;
	store->read_ever++;
	file->content = store->owner.read(store->owner.context, file->file, file->path);
	close(file->file);
	file->file = -1;
}

/* Reads the file that has been open for the longest time. */
static void read_oldest(struct file_store *store)
{
	struct stored_file *file = store->opened;

	while (file->next)
		file = file->next;
	read_file(store, file);
}

/* Adds a file, whose descriptor is the store's from now on. NULL: out of memory. */
static struct stored_file *add_file(
	struct file_store *store, const struct stat *status, const char *path, int opened)
{
	struct stored_file *file = calloc(1, sizeof(*file));
	uint32_t count = store->table.count;

	if (file)
		file->path = strdup(path);
	if (!file || !file->path ||
		array_room(&store->files, &store->capacity, count, sizeof(struct stored_file *)) ||
		hash_table_add(&store->table, file_hash(status), count)) {
		if (file)
			free(file->path);
		free(file);
		close(opened);
		return NULL;
	}
	file->status = *status;
	file->file = opened;
	file->next = store->opened;
	store->opened = file;
	store->open_count++;
	store->opened_ever++;
	store->files[count] = file;
	return file;
}

struct stored_file *file_store_get(struct file_store *store, const struct usdt_process *process,
	const struct usdt_object *object)
{
	struct stored_file *known = NULL;
	struct stat status;
	int opened = -1;
	bool is_found;

	while (store->open_count >= OPEN_MAX)
		read_oldest(store);
	is_found = find_status(process, object, &status, &opened);
	if (is_found)
		known = find_file(store, &status);
	if (is_found && !known && opened < 0) {
		opened = usdt_object_file(process, object);
		is_found = opened >= 0 && !fstat(opened, &status);
		if (is_found)
			known = find_file(store, &status);
	}
	if (is_found && !known)
		return add_file(store, &status, object->path, opened);
	if (opened >= 0)
		close(opened);
	return known;
}

void *file_store_content(struct file_store *store, struct stored_file *file)
{
	if (file->file >= 0)
		read_file(store, file);
	return file->content;
}

void *stored_file_content(const struct stored_file *file)
{
	return file->content;
}
