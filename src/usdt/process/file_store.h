/*
 * file_store.h: what is known of files that processes have mapped, once for each file, however many
 * processes map it: a build runs the same compiler thousands of times. What is kept of a file is
 * the owner's choice: its symbols, or its call frame information.
 *
 * A file is opened while a process that maps it lives, and read when something is first asked of
 * it, or at once if many are open; then it is closed. Since an inode that is free may be another
 * file's soon, a file is the same one only if the time of its last change is the same, too.
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_PROCESS_FILE_STORE_H
#define VMTAP_USDT_PROCESS_FILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"

struct heard_code;
struct stored_file;
struct usdt_object;
struct usdt_process;

struct file_store_owner {
	void *context;
	/* Makes what is kept of a file; NULL: nothing. The file stays the store's. */
	void *(*read)(void *context, int file, const char *path);
	void (*free)(void *content);
};

struct file_store {
	struct file_store_owner owner;
	/* What was heard of processes that map these files; NULL: nothing. The caller sets it. */
	const struct heard_code *heard;
	struct stored_file **files;
	size_t capacity;
	struct hash_table table;    /* of the files, by what identifies them */
	struct stored_file *opened; /* the first of those that are open */
	size_t open_count;
	size_t opened_ever, read_ever; /* files, for tests */
};

void file_store_begin(struct file_store *store, const struct file_store_owner *owner);
void file_store_end(struct file_store *store);

/*
 * The file of an object that the process has mapped; NULL if it cannot be opened or memory runs
 * out. Lives as long as the store.
 */
struct stored_file *file_store_get(struct file_store *store, const struct usdt_process *process,
	const struct usdt_object *object);

/* What is kept of the file, which is read at the first call; NULL: nothing. */
void *file_store_content(struct file_store *store, struct stored_file *file);

/* The same, or NULL if the file has not been read. */
void *stored_file_content(const struct stored_file *file);

#endif
