/* file_store.c: see file_store.h. */
#include "usdt/process/file_store.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "usdt/process/process_images.h"

enum {
	SLOTS_MIN = 64,
	OPEN_MAX = 128 /* files that wait to be read; with more, the oldest is read at once */
};

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
	for (size_t i = 0; i < store->slot_count; i++) {
		struct stored_file *file = store->slots[i];

		if (!file)
			continue;
		if (file->file >= 0)
			close(file->file);
		if (file->content)
			store->owner.free(file->content);
		free(file->path);
		free(file);
	}
	free(store->slots);
	*store = (struct file_store){.owner = store->owner, .heard = store->heard};
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_ino == other->st_ino && one->st_dev == other->st_dev &&
		one->st_ctim.tv_sec == other->st_ctim.tv_sec &&
		one->st_ctim.tv_nsec == other->st_ctim.tv_nsec;
}

/* The slot of such a file, or the free one where it belongs. */
static struct stored_file **find_slot(const struct file_store *store, const struct stat *status)
{
	uint64_t hash = ((uint64_t)status->st_ino ^ (uint64_t)status->st_dev << 40 ^
				(uint64_t)status->st_ctim.tv_nsec) *
		0x9e3779b97f4a7c15;
	size_t at = (size_t)(hash >> 32);

	for (;; at++) {
		struct stored_file **slot = &store->slots[at & (store->slot_count - 1)];

		if (!*slot || is_same(&(*slot)->status, status))
			return slot;
	}
}

static bool grow(struct file_store *store)
{
	struct file_store grown = *store;

	grown.slot_count = store->slot_count ? 2 * store->slot_count : SLOTS_MIN;
	grown.slots = calloc(grown.slot_count, sizeof(struct stored_file *));
	if (!grown.slots)
		return false;
	for (size_t i = 0; i < store->slot_count; i++)
		if (store->slots[i])
			*find_slot(&grown, &store->slots[i]->status) = store->slots[i];
	free(store->slots);
	*store = grown;
	return true;
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
static struct stored_file *add(
	struct file_store *store, const struct stat *status, const char *path, int opened)
{
	struct stored_file *file = calloc(1, sizeof(*file));

	if (file)
		file->path = strdup(path);
	if (!file || !file->path || (2 * store->count >= store->slot_count && !grow(store))) {
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
	*find_slot(store, status) = file;
	store->count++;
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
	if (is_found && store->slot_count)
		known = *find_slot(store, &status);
	if (is_found && !known && opened < 0) {
		opened = usdt_object_file(process, object);
		is_found = opened >= 0 && !fstat(opened, &status);
		if (is_found && store->slot_count)
			known = *find_slot(store, &status);
	}
	if (is_found && !known)
		return add(store, &status, object->path, opened);
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
