/*
 * process_watch.c: see process_watch.h. The programs are in process_watch_code.c. They share three
 * maps with us: the processes that are watched, those that are stopped, and whether any process may
 * be stopped. A process that is stopped is in the map before it stops, so that the guardian finds
 * it if we are killed.
 */
#include "kernel/watch/process_watch.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/process_stat.h"
#include "kernel/watch/hold.h"
#include "kernel/watch/process_watch_private.h"

enum { PROCESSES_MAX = 65536, RING_BYTES = 256 << 10 };

static void set_stopping(struct kernel_watch *watch, bool may_stop)
{
	const struct watch_control control = {.may_stop = may_stop};
	const uint32_t first = 0;

	bpf_map_set(watch->control, &first, &control);
}

static int make_maps(struct kernel_watch *watch)
{
	int result = kernel_ring_open(&watch->ring, RING_BYTES);

	if (result)
		return result;
	watch->watched = bpf_map(BPF_MAP_TYPE_HASH, 4, sizeof(struct watched_process),
		PROCESSES_MAX, BPF_F_NO_PREALLOC);
	watch->held = kernel_hold_map(PROCESSES_MAX);
	watch->control = bpf_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct watch_control), 1, 0);
	result = watch->watched < 0  ? watch->watched
		: watch->held < 0    ? watch->held
		: watch->control < 0 ? watch->control
				     : 0;
	return result;
}

/* Attaches a program to a tracepoint. */
static int attach_to(int program, const char *tracepoint, int *link, struct error *error)
{
	*link = bpf_attach_raw(program, tracepoint);
	return *link >= 0
		? 0
		: error_set(error, -*link, "the kernel does not tell of processes (%s): %s",
			  tracepoint, strerror(-*link));
}

/* Finds what the programs of a family need to know of the kernel. */
static int find_layout(struct kernel_watch *watch, struct error *error)
{
	bool has_all;

	if (watch->scope == KERNEL_SCOPE_NAMED)
		return 0;
	kernel_layout_find_watch(&watch->layout);
	has_all = watch->layout.has_task &&
		(watch->layout.has_numbers || !watch->features.other_namespace);
	return has_all ? 0
		       : error_set(error, ENOTSUP,
				 "the kernel does not tell where it keeps what it knows of a "
				 "process (/sys/kernel/btf/vmlinux)");
}

static int attach_all(struct kernel_watch *watch, struct error *error)
{
	int result = attach_to(watch->exec_program, "sched_process_exec", &watch->exec_link, error);

	if (!result && watch->scope == KERNEL_SCOPE_FAMILY)
		result = attach_to(
			watch->exit_program, "sched_process_exit", &watch->exit_link, error);
	if (!result && watch->scope == KERNEL_SCOPE_FAMILY)
		result = attach_to(
			watch->fork_program, "sched_process_fork", &watch->fork_link, error);
	return result;
}

int kernel_watch_new(const struct bpf_features *features, enum kernel_scope scope,
	struct kernel_watch **watch, struct error *error)
{
	struct kernel_watch *made = calloc(1, sizeof(*made));
	int result;

	*watch = NULL;
	if (!made)
		return error_set(error, ENOMEM, "out of memory");
	*made = (struct kernel_watch){.features = *features,
		.watched = -1,
		.held = -1,
		.control = -1,
		.ring = {.map = -1},
		.linker_program = -1,
		.exec_program = -1,
		.exec_link = -1,
		.scope = scope,
		.fork_program = -1,
		.fork_link = -1,
		.exit_program = -1,
		.exit_link = -1,
		.guardian = {.line = -1}};
	result = make_maps(made);
	if (!result)
		result = kernel_guardian_start(&made->guardian, made->held, made->control);
	if (result)
		error_set(error, -result, "changes in processes cannot be watched: %s",
			strerror(-result));
	else
		result = find_layout(made, error);
	if (!result)
		result = kernel_watch_load(made, error);
	if (!result)
		result = attach_all(made, error);
	if (result) {
		kernel_watch_free(made);
		return result;
	}
	set_stopping(made, true);
	*watch = made;
	return 0;
}

void kernel_watch_release(struct kernel_watch *watch)
{
	uint32_t pid, next;
	int result;

	set_stopping(watch, false);
	result = bpf_map_next(watch->held, NULL, &next);
	while (!result) {
		pid = next;
		result = bpf_map_next(watch->held, &pid, &next);
		kernel_hold_end(watch->held, kernel_hold_pid(pid));
	}
}

static void close_one(int descriptor)
{
	if (descriptor >= 0)
		close(descriptor);
}

void kernel_watch_free(struct kernel_watch *watch)
{
	if (!watch)
		return;
	if (watch->control >= 0 && watch->held >= 0)
		kernel_watch_release(watch);
	for (size_t i = 0; i < watch->linker_count; i++)
		close(watch->linkers[i].link);
	close_one(watch->fork_link);
	close_one(watch->exit_link);
	close_one(watch->exec_link);
	close_one(watch->fork_program);
	close_one(watch->exit_program);
	close_one(watch->exec_program);
	close_one(watch->linker_program);
	/* A program that was still running when stopping was forbidden has ended by now. */
	if (watch->control >= 0 && watch->held >= 0)
		kernel_watch_release(watch);
	kernel_guardian_stop(&watch->guardian);
	kernel_ring_close(&watch->ring);
	close_one(watch->watched);
	close_one(watch->held);
	close_one(watch->control);
	free(watch->linkers);
	free(watch);
}

int kernel_watch_descriptor(const struct kernel_watch *watch)
{
	return watch->ring.map;
}

/* Attaches to the linker's function in one process. Returns the link or a negative errno. */
static int attach_linker(
	const struct kernel_watch *watch, uint32_t pid, const struct kernel_linker *linker)
{
	const uint64_t cookie = 0;
	struct bpf_sites sites = {.offsets = &linker->offset,
		.cookies = &cookie,
		.count = 1,
		.pid = usdt_process_thread((pid_t)pid) == (pid_t)pid ? pid : 0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", linker->file);
	sites.path = path;
	return bpf_attach_one(&watch->features, watch->linker_program, &sites);
}

int kernel_watch_add(struct kernel_watch *watch, uint32_t pid, const struct kernel_linker *linker,
	bool may_stop, int *link)
{
	const struct watched_process watched = {
		.state = linker ? linker->state : 0, .may_stop = may_stop};

	*link = -1;
	if (linker) {
		*link = attach_linker(watch, pid, linker);
		if (*link < 0)
			return *link;
	}
	return bpf_map_set(watch->watched, &pid, &watched);
}

/* Attaches to a linker in all processes, once. Returns 0 or a negative errno. */
static int share_linker(struct kernel_watch *watch, const struct kernel_linker *linker)
{
	struct stat status;
	int link;

	if (fstat(linker->file, &status))
		return -errno;
	for (size_t i = 0; i < watch->linker_count; i++)
		if (watch->linkers[i].device == status.st_dev &&
			watch->linkers[i].inode == status.st_ino)
			return 0;
	if (array_room(&watch->linkers, &watch->linker_capacity, watch->linker_count,
		    sizeof(*watch->linkers)))
		return -ENOMEM;
	link = attach_linker(watch, 0, linker);
	if (link < 0)
		return link;
	watch->linkers[watch->linker_count++] =
		(struct watched_linker){status.st_dev, status.st_ino, link};
	return 0;
}

int kernel_watch_add_family(
	struct kernel_watch *watch, uint32_t pid, const struct kernel_linker *linker, bool may_stop)
{
	struct watched_process watched = {.may_stop = may_stop};
	int result = linker ? share_linker(watch, linker) : 0;

	if (!bpf_map_get(watch->watched, &pid, &watched) && !linker)
		return result;
	watched.state = linker && !result ? linker->state : 0;
	if (result)
		return result;
	return bpf_map_set(watch->watched, &pid, &watched);
}

int kernel_watch_members(const struct kernel_watch *watch)
{
	return watch->watched;
}

bool kernel_watch_is_empty(const struct kernel_watch *watch)
{
	uint32_t first;

	return bpf_map_next(watch->watched, NULL, &first) == -ENOENT;
}

bool kernel_watch_has(const struct kernel_watch *watch, uint32_t pid)
{
	struct watched_process watched;

	return !bpf_map_get(watch->watched, &pid, &watched);
}

void kernel_watch_remove(struct kernel_watch *watch, uint32_t pid)
{
	bpf_map_delete(watch->watched, &pid);
	bpf_map_delete(watch->held, &pid);
}

/*
 * Starts another guardian if the old one has been killed; without one, no process may be stopped.
 */
static void keep_guardian(struct kernel_watch *watch)
{
	if (!watch->guardian.pid || kernel_guardian_runs(&watch->guardian))
		return;
	kernel_guardian_stop(&watch->guardian);
	if (kernel_guardian_start(&watch->guardian, watch->held, watch->control)) {
		kernel_guardian_stop(&watch->guardian);
		set_stopping(watch, false);
	}
}

bool kernel_watch_next(struct kernel_watch *watch, struct kernel_notice *notice)
{
	uint32_t size;
	const void *bytes = kernel_ring_next(
		&watch->ring, &watch->position, kernel_ring_produced(&watch->ring), &size);

	if (bytes && size >= sizeof(*notice))
		memcpy(notice, bytes, sizeof(*notice));
	kernel_ring_release(&watch->ring, watch->position);
	if (bytes)
		keep_guardian(watch);
	return bytes && size >= sizeof(*notice);
}

/* Returns what became of a process that did not stay stopped. */
static enum kernel_watch_result has_run(uint32_t pid)
{
	return usdt_process_thread((pid_t)pid) ? KERNEL_WATCH_RAN : KERNEL_WATCH_HAS_ENDED;
}

enum kernel_watch_result kernel_watch_continue(
	struct kernel_watch *watch, const struct kernel_notice *notice)
{
	struct kernel_held held;
	enum kernel_hold_state state;

	if (notice->stop == KERNEL_NOTICE_RUNS)
		return KERNEL_WATCH_WAITED;
	if (notice->stop == KERNEL_NOTICE_NOT_STOPPED)
		return KERNEL_WATCH_RAN;
	if (bpf_map_get(watch->held, &notice->pid, &held))
		return KERNEL_WATCH_RAN;
	/* if it is stopped by a later event by now, that event is in the map once it has stopped */
	state = kernel_hold_wait(notice->pid, held.thread);
	if (bpf_map_get(watch->held, &notice->pid, &held) || held.time != notice->time)
		return KERNEL_WATCH_RAN;
	kernel_hold_end(watch->held, notice->pid);
	return state == KERNEL_HOLD_STOPPED || state == KERNEL_HOLD_COMES ? KERNEL_WATCH_WAITED
									  : has_run(notice->pid);
}

void kernel_watch_keep(struct kernel_watch *watch, const struct kernel_notice *notice)
{
	bpf_map_delete(watch->held, &notice->pid);
}

bool kernel_watch_has_missed(const struct kernel_watch *watch)
{
	const uint32_t first = 0;
	struct watch_control control;

	return !bpf_map_get(watch->control, &first, &control) && control.missed;
}

bool kernel_watch_may_stop(uint32_t pid)
{
	char text[PROCESS_STAT_BYTES];
	const char *fields = process_stat_read(pid, text);
	int terminal = 0;

	return fields && sscanf(fields, " %*c %*d %*d %*d %d", &terminal) == 1 && !terminal;
}
