/*
 * fixture.h: what the library's unit tests share: a private folder for sockets, and waiting
 * for guards. Each test runs in a process of its own.
 */
#ifndef TESTS_SHIM_FIXTURE_H
#define TESTS_SHIM_FIXTURE_H

#include <check.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim/reader.h"
#include "vmtap.h"
#include "vmtap_probes.h"
#include "wire/wire.h"

static char fixture_folder[128];
static char fixture_path[256]; /* where the socket will be */

static inline void fixture_set_path(void)
{
	snprintf(fixture_path, sizeof(fixture_path), "%s/vmtap/%d", fixture_folder, (int)getpid());
}

static inline void fixture_setup(void)
{
	const char *base = getenv("TMPDIR");

	snprintf(fixture_folder, sizeof(fixture_folder), "%s/shim-XXXXXX", base ? base : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(fixture_folder));
	setenv("XDG_RUNTIME_DIR", fixture_folder, 1);
	unsetenv("VMTAP_WAIT");
	fixture_set_path();
}

static inline void fixture_teardown(void)
{
	char command[160];

	vmtap_stop();
	snprintf(command, sizeof(command), "rm -rf '%s'", fixture_folder);
	if (system(command))
		fprintf(stderr, "%s remains\n", fixture_folder);
}

static inline void fixture_start(void)
{
	ck_assert_int_eq(vmtap_start(NULL), 0);
}

/* Serves this process's own stream, twice, and fires from this thread. Returns 0 on success. */
static inline int fixture_serve(void)
{
	struct reader reader;

	fixture_set_path();
	for (unsigned i = 0; i < 2; i++) {
		if (vmtap_start(NULL))
			return 2;
		if (!reader_start(&reader, fixture_path, i ? WIRE_LOSSLESS : 0))
			return 3;
		for (unsigned j = 0; j < 500; j++)
			VMTAP_GC_WORK(2);
		if (!reader_finish(&reader))
			return 4;
		if (reader.pid != (uint32_t)getpid() || reader_received(&reader) != 500 ||
			reader_lost(&reader))
			return 5;
		reader_close(&reader);
		vmtap_stop();
	}
	return 0;
}

/* The library's thread in this process, or 0. */
static inline pid_t fixture_thread(void)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;
	pid_t found = 0;

	while (folder && !found && (entry = readdir(folder))) {
		char path[300], name[32] = "";
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		FILE *file = fopen(path, "r");
		if (file && fgets(name, sizeof(name), file) && strcmp(name, "vmtap\n") == 0)
			found = (pid_t)strtol(entry->d_name, NULL, 10);
		if (file)
			fclose(file);
	}
	if (folder)
		closedir(folder);
	return found;
}

/*
 * Waits until the library's thread sleeps. AddressSanitizer's allocator is not safe across fork():
 * if another thread is in it, the child waits for ever at its first allocation.
 */
static inline void fixture_await_sleep(void)
{
	char path[64], line[256], *end;

	for (;;) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)fixture_thread());
		file = fopen(path, "r");
		end = file && fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
		if (file)
			fclose(file);
		if (end && end[1] == ' ' && end[2] == 'S')
			return;
		sched_yield();
	}
}

static inline unsigned fixture_open_guards(void)
{
	unsigned open = 0;

	for (unsigned i = 0; i < VMTAP_PROBES; i++)
		open += __atomic_load_n(vmtap_guard((enum vmtap_probe)i), __ATOMIC_ACQUIRE) != 0;
	return open;
}

/* Waits until count guards are open; false after a minute. */
static inline bool fixture_await_guards(unsigned count)
{
	uint64_t deadline = reader_now() + UINT64_C(60000000000);

	while (fixture_open_guards() != count) {
		if (reader_now() > deadline)
			return false;
		sched_yield();
	}
	return true;
}

#define ck_reader(reader, condition)                                                               \
	do {                                                                                       \
		bool holds_ = (condition);                                                         \
		ck_assert_msg(holds_ && !*(reader)->error, "%s: %s", #condition, (reader)->error); \
	} while (0)

#endif
