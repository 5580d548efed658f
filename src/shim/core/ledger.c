/*
 * ledger.c: see ledger.h. Arrays are fixed, because a child may not allocate. Each change is one
 * store, because fork() may copy the state of any moment. A child must not close by number alone:
 * it compares the file.
 */
#include "shim/core/ledger.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	OPEN_MAX_ENTRIES = 160, /* more than a server has with all of its clients */
	CLOSED_ENTRIES = 256,   /* for sockets that are not connections; each start closes a few */
	NAMES_MAX = 4,          /* restarts of the server hardly change its name */
	NUMBERS_MAX = 4096,
	WORD_BITS = 64,
	CACHED = 64,
	TRIES = 3,
	BEING_CHANGED = -1
};

struct ledger_entry {
	_Atomic int place; /* the descriptor + 1; 0: unused; BEING_CHANGED */
	_Atomic bool is_known;
	bool is_connection;
	mode_t type; /* S_IFMT; 0: an eventfd and its like, which all share one identity */
	struct descriptor_file file; /* this and type are valid if is_known */
};

static struct ledger_entry entries[OPEN_MAX_ENTRIES];
static struct ledger_entry closed[CLOSED_ENTRIES]; /* a ring */
static _Atomic unsigned closed_count;
static struct sockaddr_un names[NAMES_MAX]; /* a ring */
static _Atomic unsigned name_count;
static _Atomic uint64_t numbers[NUMBERS_MAX / WORD_BITS]; /* of all connections so far */
static _Atomic bool accepting;                            /* a connection may be missing there */

/* fstat() is tried again after a failure, because a lack of memory may pass, and a child keeps a
 * descriptor that could not be identified. */
static bool identify(int descriptor, struct descriptor_file *file, mode_t *type)
{
	struct stat status;
	int result, tries = 0;

	do
		result = fstat(descriptor, &status);
	while (result && errno != EBADF && ++tries < TRIES);
	if (result)
		return false;
	*file = (struct descriptor_file){.device = status.st_dev, .inode = status.st_ino};
	*type = status.st_mode & S_IFMT;
	return true;
}

void ledger_drop(int descriptor)
{
	for (unsigned i = 0; descriptor >= 0 && i < OPEN_MAX_ENTRIES; i++) {
		int place = descriptor + 1;
		if (atomic_load(&entries[i].place) == place)
			atomic_compare_exchange_strong(&entries[i].place, &place, 0);
	}
}

static int enter(int descriptor, bool is_connection)
{
	struct ledger_entry *entry = entries;
	int nothing = 0;

	if (descriptor < 0)
		return descriptor;
	ledger_drop(descriptor); /* an entry of a file that the program has closed */
	while (entry < entries + OPEN_MAX_ENTRIES &&
		!atomic_compare_exchange_strong(&entry->place, &nothing, BEING_CHANGED)) {
		nothing = 0;
		entry++;
	}
	if (entry == entries + OPEN_MAX_ENTRIES)
		return descriptor;
	entry->is_connection = is_connection;
	atomic_store(&entry->is_known, false);
	atomic_store(&entry->place, descriptor + 1);
	if (identify(descriptor, &entry->file, &entry->type))
		atomic_store(&entry->is_known, true);
	return descriptor;
}

int ledger_enter(int descriptor)
{
	return enter(descriptor, false);
}

void ledger_name(const struct sockaddr_un *name)
{
	unsigned count = atomic_load(&name_count);

	for (unsigned i = 0; i < NAMES_MAX && i < count; i++)
		if (!memcmp(&names[i], name, sizeof(*name)))
			return;
	names[count % NAMES_MAX] = *name;
	atomic_store(&name_count, count + 1);
}

int ledger_accept(int listener)
{
	int descriptor;

	atomic_store(&accepting, true);
	descriptor = descriptor_own(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK));
	if (descriptor >= 0 && descriptor < NUMBERS_MAX)
		atomic_fetch_or(
			&numbers[descriptor / WORD_BITS], UINT64_C(1) << descriptor % WORD_BITS);
	enter(descriptor, true);
	if (descriptor < NUMBERS_MAX)
		atomic_store(&accepting, false);
	return descriptor;
}

static bool is_connection(int descriptor)
{
	for (unsigned i = 0; i < OPEN_MAX_ENTRIES; i++)
		if (atomic_load(&entries[i].place) == descriptor + 1)
			return entries[i].is_connection;
	return false;
}

/* Only sockets are remembered: their inodes are unique, while all eventfds, for example, share
 * one. */
static void remember_closed(int descriptor)
{
	struct ledger_entry *entry = &closed[atomic_fetch_add(&closed_count, 1) % CLOSED_ENTRIES];

	atomic_store(&entry->place, BEING_CHANGED);
	if (identify(descriptor, &entry->file, &entry->type) && entry->type == S_IFSOCK)
		atomic_store(&entry->place, descriptor + 1);
}

void ledger_close(int descriptor, struct descriptor_file file)
{
	if (!descriptor_is(descriptor, file)) {
		ledger_drop(descriptor);
		return;
	}
	if (!is_connection(descriptor))
		remember_closed(descriptor);
	ledger_drop(descriptor);
	close(descriptor);
}

/* ---- in a child ---- */

static bool is_same(const struct descriptor_file *one, const struct descriptor_file *other)
{
	return one->device == other->device && one->inode == other->inode;
}

static bool is_entered(const struct ledger_entry *entry)
{
	struct descriptor_file file;
	mode_t type;

	return atomic_load(&entry->place) > 0 && atomic_load(&entry->is_known) &&
		identify(atomic_load(&entry->place) - 1, &file, &type) &&
		is_same(&file, &entry->file);
}

/* A program that has closed one of the library's files has probably closed all, and has others of
 * its own under their numbers. A socket can be recognised. */
static bool lacks_socket(void)
{
	for (unsigned i = 0; i < OPEN_MAX_ENTRIES; i++)
		if (atomic_load(&entries[i].place) > 0 && atomic_load(&entries[i].is_known) &&
			entries[i].type == S_IFSOCK && !entries[i].is_connection &&
			!is_entered(&entries[i]))
			return true;
	return false;
}

static void close_open(void)
{
	bool lacks = lacks_socket();

	for (unsigned i = 0; i < OPEN_MAX_ENTRIES; i++) {
		struct ledger_entry *entry = &entries[i];
		int descriptor = atomic_load(&entry->place) - 1;
		bool closes = is_entered(entry) && (entry->type || !lacks);

		atomic_store(&entry->place, 0);
		if (closes)
			close(descriptor);
	}
}

/* The same few numbers are used again and again, so each is examined only once. */
static void close_closed(void)
{
	static struct ledger_entry cache[CACHED]; /* static: the stack may be short */

	for (unsigned i = 0; i < CACHED; i++)
		atomic_store(&cache[i].place, 0);
	for (unsigned i = 0; i < CLOSED_ENTRIES; i++) {
		int place = atomic_load(&closed[i].place);
		struct ledger_entry *cached = &cache[(unsigned)place % CACHED];

		atomic_store(&closed[i].place, 0);
		if (place <= 0)
			continue;
		if (atomic_load(&cached->place) != place) {
			atomic_store(&cached->place, place);
			atomic_store(&cached->is_known,
				identify(place - 1, &cached->file, &cached->type));
		}
		if (!atomic_load(&cached->is_known) || !is_same(&cached->file, &closed[i].file))
			continue;
		close(place - 1);
		atomic_store(&cached->is_known, false);
	}
	atomic_store(&closed_count, 0);
}

/* Returns true if the socket has the name of the server's, as have all connections that it accepts.
 */
static bool ledger_has_name(int descriptor)
{
	struct sockaddr_un name = {.sun_family = AF_UNSPEC};
	socklen_t length = sizeof(name);

	if (getsockname(descriptor, (struct sockaddr *)&name, &length) ||
		name.sun_family != AF_UNIX || length > sizeof(name))
		return false;
	for (unsigned i = 0; i < NAMES_MAX && i < atomic_load(&name_count); i++)
		if (!strncmp(name.sun_path, names[i].sun_path, sizeof(name.sun_path)))
			return true;
	return false;
}

static void close_connections(void)
{
	for (unsigned i = 0; i < NUMBERS_MAX / WORD_BITS; i++)
		for (uint64_t word = atomic_load(&numbers[i]); word; word &= word - 1) {
			int descriptor = (int)(i * WORD_BITS) + __builtin_ctzll(word);
			if (ledger_has_name(descriptor))
				close(descriptor);
		}
}

/* No memory is allocated and little stack taken, because this may be a signal handler. */
static void close_all_connections(void)
{
	static _Alignas(struct dirent64) char listed[2048];
	const struct dirent64 *entry;
	int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	long length, at;

	while (folder >= 0 &&
		(length = syscall(SYS_getdents64, folder, listed, sizeof(listed))) > 0)
		for (at = 0; at < length; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(const void *)(listed + at);
			int descriptor = (int)strtol(entry->d_name, NULL, 10); /* or 0 */
			if (descriptor > STDERR_FILENO && ledger_has_name(descriptor))
				close(descriptor);
		}
	if (folder >= 0)
		close(folder);
}

void ledger_fork_child(void)
{
	close_open();
	if (atomic_load(&closed_count))
		close_closed();
	close_connections();
	if (atomic_exchange(&accepting, false))
		close_all_connections();
}
