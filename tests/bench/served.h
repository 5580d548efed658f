/*
 * served.h: serves the event stream to minimal readers, for measuring the VM's side. Each
 * reader is a process; the library's thread and the readers run on CPU 0, and the caller
 * moves to CPU 1. On a machine with one CPU all share it.
 */
#ifndef BENCH_SERVED_H
#define BENCH_SERVED_H

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vmtap.h>

#include "burst.h"
#include "reader.h"

enum {
	SERVED_READERS_MAX = 16,
	SERVED_WAIT_MS = 30000 /* for a listener, or for a reader to catch up */
};

/* What the readers report, in memory shared by all. */
struct served_counts {
	_Atomic uint64_t counts[SERVED_READERS_MAX]; /* events, lost ones included */
	_Atomic uint64_t lost;
	_Atomic unsigned subscribed; /* readers */
};

struct served {
	char folder[32], path[64];
	struct served_counts *shared;
	unsigned readers;
	pid_t pids[SERVED_READERS_MAX];
};

/* Waits until every reader's subscription is in force. */
static inline bool served_wait_subscribed(const struct served *served)
{
	for (int waited = 0; waited < SERVED_WAIT_MS; waited++) {
		if (atomic_load(&served->shared->subscribed) == served->readers)
			return true;
		burst_pause(1000);
	}
	fprintf(stderr, "%s: not every reader could subscribe\n", served->path);
	return false;
}

/* The process of a reader: reads to the end of the stream. */
static inline int served_read(struct served *served, unsigned number, int output, uint8_t flags)
{
	static struct reader reader;
	bool opened = false;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int waited = 0; waited < SERVED_WAIT_MS && !opened; waited++) {
		opened = reader_open(&reader, served->path, "vm:::method-entry(", flags, output);
		if (!opened)
			burst_pause(1000);
	}
	if (!opened) {
		fprintf(stderr, "%s: %s\n", served->path, strerror(errno));
		return 1;
	}
	reader.subscribed = &served->shared->subscribed;
	reader_run(&reader, &served->shared->counts[number]);
	atomic_fetch_add(&served->shared->lost, reader.lost);
	return 0;
}

/* Waits until every reader has seen, or been told of the loss of, count events. */
static inline bool served_wait_count(struct served *served, uint64_t count)
{
	for (unsigned i = 0, waited = 0; i < served->readers;) {
		if (atomic_load_explicit(&served->shared->counts[i], memory_order_acquire) >=
			count) {
			i++;
			continue;
		}
		if (++waited > SERVED_WAIT_MS * 5) {
			fprintf(stderr, "a reader does not catch up\n");
			return false;
		}
		burst_pause(200);
	}
	return true;
}

/* Ends everything. Returns how many events the readers lost, or -1 if one of them failed. */
static inline int64_t served_stop(struct served *served, bool failed)
{
	int64_t lost;

	vmtap_stop();
	for (unsigned i = 0; i < served->readers; i++) {
		int status = 0;

		if (failed)
			kill(served->pids[i], SIGKILL);
		waitpid(served->pids[i], &status, 0);
		failed |= status != 0;
	}
	unlink(served->path);
	rmdir(served->folder);
	lost = (int64_t)atomic_load(&served->shared->lost);
	munmap(served->shared, sizeof(*served->shared));
	return failed ? -1 : lost;
}

/*
 * Serves the stream to readers of method-entry, which subscribe with these flags. output receives
 * the first one's bytes; -1: none. Returns true once all of them listen.
 */
static inline bool served_start(struct served *served, unsigned readers, int output, uint8_t flags)
{
	struct vmtap_options options = {.size = sizeof(options), .socket = served->path};
	int error;

	*served = (struct served){.folder = "/tmp/bench.XXXXXX"};
	served->shared = mmap(NULL, sizeof(*served->shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (served->shared == MAP_FAILED || !mkdtemp(served->folder)) {
		perror("mmap or mkdtemp");
		return false;
	}
	snprintf(served->path, sizeof(served->path), "%s/socket", served->folder);
	burst_pin(0);
	for (; served->readers < readers; served->readers++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(served_read(
				served, served->readers, served->readers ? -1 : output, flags));
		if (pid < 0)
			break;
		served->pids[served->readers] = pid;
	}
	error = vmtap_start(&options);
	burst_pin(1);
	if (error)
		fprintf(stderr, "%s: %s\n", served->path, strerror(-error));
	if (error || served->readers < readers || !served_wait_subscribed(served)) {
		served_stop(served, true);
		return false;
	}
	return true;
}

#endif
