/*
 * kernel_watch.c: see kernel_watch.h.
 *
 * A program on the dynamic linker's function (kernel_linker.h) and one on the tracepoint of
 * executed programs look the process up in a map of those that are watched, put a notice into a
 * ring and send SIGSTOP to the thread that runs them: it does not return to its own code before all
 * of the process has stopped. Before the signal is sent, the process is entered into the map that
 * the guardian reads.
 */
#include "source/kernel/kernel_watch.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "source/kernel/bpf_code.h"
#include "source/kernel/kernel_guardian.h"
#include "source/kernel/kernel_ring.h"

enum {
	PROCESSES_MAX = 65536,
	RING_BYTES = 256 << 10,
	/* On the programs' stack. */
	STACK_IDS = -8, /* tid, then pid */
	STACK_PID = STACK_IDS + 4,
	STACK_VALUE = -16,
	STACK_TIME = -24
};

/* What is known of a process that is watched. */
struct watched_process {
	uint64_t state; /* address of the linker's state; 0: not known */
	uint32_t may_stop, unused;
};

/* What programs and we tell each other. */
struct watch_control {
	uint64_t may_stop; /* the guardian sets it to 0, too */
	uint64_t missed;   /* notices for which the ring had no room */
};

struct kernel_watch {
	struct bpf_features features;
	int watched, held, control;
	struct kernel_ring ring;
	uint64_t position;
	int linker_program, exec_program, exec_link;
	struct kernel_guardian guardian;
};

/* ---- programs ---- */

struct generator {
	struct bpf_code code;
	const struct kernel_watch *watch;
	uint32_t done, missed;
};

/* Leaves the ids on the stack, and in R7 what is known of the process, which must be watched. */
static void find_process(struct generator *g)
{
	struct bpf_code *code = &g->code;

	if (g->watch->features.other_namespace) {
		bpf_set(code, BPF_REG_1, g->watch->features.namespace_device);
		bpf_set(code, BPF_REG_2, g->watch->features.namespace_inode);
		bpf_move(code, BPF_REG_3, BPF_REG_10);
		bpf_operate_value(code, BPF_ADD, BPF_REG_3, STACK_IDS);
		bpf_set(code, BPF_REG_4, 8);
		bpf_write_value(code, BPF_REG_10, STACK_IDS, 0, 8);
		bpf_call(code, BPF_FUNC_get_ns_current_pid_tgid);
		bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, g->done);
	} else {
		bpf_call(code, BPF_FUNC_get_current_pid_tgid);
		bpf_write(code, BPF_REG_10, STACK_IDS, BPF_REG_0, 8);
	}
	bpf_set_map(code, BPF_REG_1, g->watch->watched);
	bpf_move(code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, STACK_PID);
	bpf_call(code, BPF_FUNC_map_lookup_elem);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, g->done);
	bpf_move(code, BPF_REG_7, BPF_REG_0);
}

/* Ends the program while the linker is still about to change something. */
static void check_state(struct generator *g)
{
	struct bpf_code *code = &g->code;
	uint32_t after = bpf_label(code);

	bpf_read(code, BPF_REG_3, BPF_REG_7, offsetof(struct watched_process, state), 8);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_3, 0, after);
	bpf_write_value(code, BPF_REG_10, STACK_VALUE, 0, 8);
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, STACK_VALUE);
	bpf_set(code, BPF_REG_2, 4);
	bpf_call(code, BPF_FUNC_probe_read_user);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, after);
	bpf_read(code, BPF_REG_1, BPF_REG_10, STACK_VALUE, 4);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_1, KERNEL_LINKER_CONSISTENT, g->done);
	bpf_place(code, after);
}

/* The key of the process in a map. */
static void point_to_pid(struct generator *g)
{
	bpf_move(&g->code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(&g->code, BPF_ADD, BPF_REG_2, STACK_PID);
}

/* Stops the process if it may be stopped; the notice in R8 says whether. */
static void stop(struct generator *g)
{
	struct bpf_code *code = &g->code;
	uint32_t after = bpf_label(code), failed = bpf_label(code);

	bpf_write_value(code, BPF_REG_8, offsetof(struct kernel_notice, is_stopped), 0, 8);
	bpf_read(code, BPF_REG_1, BPF_REG_7, offsetof(struct watched_process, may_stop), 4);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, after);
	bpf_set_map_value(code, BPF_REG_1, g->watch->control, 0);
	bpf_read(code, BPF_REG_1, BPF_REG_1, 0, 4);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, after);
	bpf_set_map(code, BPF_REG_1, g->watch->held);
	point_to_pid(g);
	bpf_move(code, BPF_REG_3, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, STACK_TIME);
	bpf_set(code, BPF_REG_4, BPF_ANY);
	bpf_call(code, BPF_FUNC_map_update_elem);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, after);
	bpf_set(code, BPF_REG_1, SIGSTOP);
	bpf_call(code, BPF_FUNC_send_signal_thread);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, failed);
	bpf_write_value(code, BPF_REG_8, offsetof(struct kernel_notice, is_stopped), 1, 4);
	bpf_jump(code, after);
	bpf_place(code, failed);
	bpf_set_map(code, BPF_REG_1, g->watch->held);
	point_to_pid(g);
	bpf_call(code, BPF_FUNC_map_delete_elem);
	bpf_place(code, after);
}

static void notify(struct generator *g, enum kernel_notice_kind kind)
{
	struct bpf_code *code = &g->code;

	bpf_set_map(code, BPF_REG_1, g->watch->ring.map);
	bpf_set(code, BPF_REG_2, sizeof(struct kernel_notice));
	bpf_set(code, BPF_REG_3, 0);
	bpf_call(code, BPF_FUNC_ringbuf_reserve);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, g->missed);
	bpf_move(code, BPF_REG_8, BPF_REG_0);
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	bpf_write(code, BPF_REG_8, offsetof(struct kernel_notice, time), BPF_REG_0, 8);
	bpf_write(code, BPF_REG_10, STACK_TIME, BPF_REG_0, 8);
	bpf_write_value(code, BPF_REG_8, offsetof(struct kernel_notice, kind), (int32_t)kind, 4);
	bpf_read(code, BPF_REG_0, BPF_REG_10, STACK_PID, 4);
	bpf_write(code, BPF_REG_8, offsetof(struct kernel_notice, pid), BPF_REG_0, 4);
	stop(g);
	bpf_move(code, BPF_REG_1, BPF_REG_8);
	bpf_set(code, BPF_REG_2, BPF_RB_FORCE_WAKEUP);
	bpf_call(code, BPF_FUNC_ringbuf_submit);
	bpf_jump(code, g->done);
	bpf_place(code, g->missed);
	bpf_set_map_value(
		code, BPF_REG_1, g->watch->control, offsetof(struct watch_control, missed));
	bpf_set(code, BPF_REG_0, 1);
	bpf_atomic(code, BPF_ADD, BPF_REG_1, 0, BPF_REG_0);
}

static int load(struct generator *g, unsigned flags, struct error *error)
{
	struct bpf_code *code = &g->code;
	int result;

	bpf_place(code, g->done);
	bpf_set(code, BPF_REG_0, 0);
	bpf_exit(code);
	result = bpf_code_end(code);
	if (result)
		error_set(error, -result, "a BPF program: %s", strerror(-result));
	else
		result = bpf_load(code->instructions, code->count, flags, error);
	bpf_code_free(code);
	return result;
}

static void begin(struct generator *g, const struct kernel_watch *watch)
{
	g->watch = watch;
	bpf_code_begin(&g->code);
	g->done = bpf_label(&g->code);
	g->missed = bpf_label(&g->code);
	find_process(g);
}

static int load_programs(struct kernel_watch *watch, struct error *error)
{
	struct generator g;

	begin(&g, watch);
	check_state(&g);
	notify(&g, KERNEL_NOTICE_OBJECTS);
	watch->linker_program = load(&g, watch->features.multi ? BPF_MULTI : 0, error);
	if (watch->linker_program < 0)
		return watch->linker_program;
	begin(&g, watch);
	/* another program has its state elsewhere */
	bpf_write_value(&g.code, BPF_REG_7, offsetof(struct watched_process, state), 0, 8);
	notify(&g, KERNEL_NOTICE_PROGRAM);
	watch->exec_program = load(&g, BPF_RAW, error);
	return watch->exec_program < 0 ? watch->exec_program : 0;
}

/* ---- the watch ---- */

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
	watch->held = bpf_map(BPF_MAP_TYPE_HASH, 4, 8, PROCESSES_MAX, BPF_F_NO_PREALLOC);
	watch->control = bpf_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct watch_control), 1, 0);
	result = watch->watched < 0  ? watch->watched
		: watch->held < 0    ? watch->held
		: watch->control < 0 ? watch->control
				     : 0;
	return result;
}

int kernel_watch_new(
	const struct bpf_features *features, struct kernel_watch **watch, struct error *error)
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
		.guardian = {.line = -1}};
	result = make_maps(made);
	if (!result)
		result = kernel_guardian_start(&made->guardian, made->held, made->control);
	if (result)
		error_set(error, -result, "changes in processes cannot be watched: %s",
			strerror(-result));
	else
		result = load_programs(made, error);
	if (!result) {
		made->exec_link = bpf_attach_raw(made->exec_program, "sched_process_exec");
		result = made->exec_link < 0
			? error_set(error, -made->exec_link,
				  "the kernel does not tell of executed programs: %s",
				  strerror(-made->exec_link))
			: 0;
	}
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
		kill((pid_t)pid, SIGCONT);
		bpf_map_delete(watch->held, &pid);
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
	close_one(watch->exec_link);
	close_one(watch->exec_program);
	close_one(watch->linker_program);
	/* A program that was just running when it was told not to stop anybody has ended by now. */
	if (watch->control >= 0 && watch->held >= 0)
		kernel_watch_release(watch);
	kernel_guardian_stop(&watch->guardian);
	kernel_ring_close(&watch->ring);
	close_one(watch->watched);
	close_one(watch->held);
	close_one(watch->control);
	free(watch);
}

int kernel_watch_descriptor(const struct kernel_watch *watch)
{
	return watch->ring.map;
}

/* Attaches to the linker's function in one process. The link, or a negative errno. */
static int attach(
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
	return watch->features.multi ? bpf_attach_sites(watch->linker_program, &sites)
				     : bpf_attach_site(watch->linker_program, &sites, 0);
}

int kernel_watch_add(struct kernel_watch *watch, uint32_t pid, const struct kernel_linker *linker,
	bool may_stop, int *link)
{
	const struct watched_process watched = {
		.state = linker ? linker->state : 0, .may_stop = may_stop};

	*link = -1;
	if (linker) {
		*link = attach(watch, pid, linker);
		if (*link < 0)
			return *link;
	}
	return bpf_map_set(watch->watched, &pid, &watched);
}

void kernel_watch_remove(struct kernel_watch *watch, uint32_t pid)
{
	bpf_map_delete(watch->watched, &pid);
	bpf_map_delete(watch->held, &pid);
}

bool kernel_watch_next(struct kernel_watch *watch, struct kernel_notice *notice)
{
	uint32_t size;
	const void *bytes = kernel_ring_next(
		&watch->ring, &watch->position, kernel_ring_produced(&watch->ring), &size);

	if (bytes && size >= sizeof(*notice))
		memcpy(notice, bytes, sizeof(*notice));
	kernel_ring_release(&watch->ring, watch->position);
	return bytes && size >= sizeof(*notice);
}

bool kernel_watch_continue(struct kernel_watch *watch, const struct kernel_notice *notice)
{
	uint64_t time;

	if (!notice->is_stopped)
		return true;
	if (bpf_map_get(watch->held, &notice->pid, &time) || time != notice->time)
		return false;
	bpf_map_delete(watch->held, &notice->pid);
	kill((pid_t)notice->pid, SIGCONT);
	return true;
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
	char path[64], line[1024], *end;
	int terminal = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/stat", (unsigned int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	/* the name, in parentheses, may contain anything */
	end = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	return end && sscanf(end, ") %*c %*d %*d %*d %d", &terminal) == 1 && !terminal;
}
