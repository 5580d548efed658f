/*
 * launch.c: see launch.h.
 *
 * A program on the function by which the dynamic linker reports its changes (linker.h) stops the
 * process at each call, until all libraries are there.
 */
#include "kernel/watch/launch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/watch/hold.h"
#include "kernel/watch/linker.h"
#include "kernel/watch/process_watch.h"

enum { STOPS_MAX = 8 /* calls of the function at the start; two are usual */ };

bool kernel_is_allowed(struct error *error)
{
	struct bpf_features features;

	return !bpf_features(&features, error);
}

/* The program that stops the process at the linker's function, and its map. */
struct launch_stop {
	int link, hits; /* descriptors; hits: a map with the number of calls */
	uint64_t seen;  /* of these */
};

static void end_stop(struct launch_stop *stop)
{
	if (stop->link >= 0)
		close(stop->link);
	if (stop->hits >= 0)
		close(stop->hits);
}

/* Returns whether the function has been called since the last time. */
static bool is_called(struct launch_stop *stop)
{
	const uint32_t first = 0;
	uint64_t hits = 0, before = stop->seen;

	bpf_map_get(stop->hits, &first, &hits);
	stop->seen = hits;
	return hits != before;
}

static int load_stop(
	const struct launch_stop *stop, const struct bpf_features *features, struct error *error)
{
	struct bpf_code code;
	int result;

	bpf_code_begin(&code);
	bpf_set_map_value(&code, BPF_REG_1, stop->hits, 0);
	bpf_set(&code, BPF_REG_0, 1);
	bpf_atomic(&code, BPF_ADD, BPF_REG_1, 0, BPF_REG_0);
	bpf_set(&code, BPF_REG_1, SIGSTOP);
	bpf_call(&code, BPF_FUNC_send_signal);
	bpf_set(&code, BPF_REG_0, 0);
	bpf_exit(&code);
	result = bpf_code_end(&code);
	if (!result)
		result = bpf_load(code.instructions, code.count, bpf_uprobe_flags(features), error);
	bpf_code_free(&code);
	return result;
}

/* Attaches a program to the function that stops the process there. Call end_stop() even if it
 * fails. */
static int stop_at(pid_t pid, const struct kernel_linker *linker, struct launch_stop *stop,
	struct error *error)
{
	const uint64_t offset = linker->offset, cookie = 0;
	struct bpf_sites sites = {
		.offsets = &offset, .cookies = &cookie, .count = 1, .pid = (uint32_t)pid};
	struct bpf_features features;
	char path[64];
	int result, program;

	*stop = (struct launch_stop){.link = -1, .hits = -1};
	result = bpf_features(&features, error);
	if (result)
		return result;
	stop->hits = bpf_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	if (stop->hits < 0)
		return error_set(error, -stop->hits, "the kernel refuses a BPF map: %s",
			strerror(-stop->hits));
	program = load_stop(stop, &features, error);
	if (program < 0)
		return program;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", linker->file);
	sites.path = path;
	stop->link = bpf_attach_one(&features, program, &sites);
	close(program);
	return stop->link >= 0 ? 0
			       : error_set(error, -stop->link,
					 "the kernel does not attach to the dynamic linker: %s",
					 strerror(-stop->link));
}

/* Waits until the process has stopped; *number is the signal's. Returns 0, -ESRCH if it has ended,
 * and leaves it to be waited for, or another negative errno. */
static int await_stop(pid_t pid, int *number)
{
	siginfo_t info;
	int status;

	while (waitid(P_PID, (id_t)pid, &info, WSTOPPED | WEXITED | WNOWAIT))
		if (errno != EINTR)
			return -errno;
	if (info.si_code != CLD_STOPPED && info.si_code != CLD_TRAPPED)
		return -ESRCH;
	while (waitpid(pid, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	*number = WSTOPSIG(status);
	return 0;
}

static int tell(pid_t pid, struct error *error)
{
	return error_set(
		error, ECHILD, "process %d cannot be let go: %s", (int)pid, strerror(errno));
}

/*
 * Lets the process run until its libraries are loaded. Signals other than that of our program are
 * passed on. A SIGSTOP of another tracer, which has seen that a program was executed, is not, since
 * the process stops for us in any case.
 */
static int run_linker(pid_t pid, const struct usdt_process *process,
	const struct kernel_linker *linker, struct error *error)
{
	struct launch_stop stop;
	int result = stop_at(pid, linker, &stop, error), number = 0;
	bool is_loaded = false;

	for (unsigned calls = 0; calls < STOPS_MAX && !result && !is_loaded;) {
		if (ptrace(PTRACE_CONT, pid, NULL,
			    (void *)(uintptr_t)(number == SIGSTOP ? 0 : number)))
			result = tell(pid, error);
		else
			result = await_stop(pid, &number);
		if (result || number != SIGSTOP || !is_called(&stop))
			continue;
		calls++;
		is_loaded = kernel_linker_is_consistent(process, linker->state);
	}
	end_stop(&stop);
	return result;
}

int kernel_launch(pid_t pid, struct error *error)
{
	struct usdt_process *process;
	struct kernel_linker linker;
	int number, result = await_stop(pid, &number);

	if (result)
		return result;
	result = usdt_process_open(pid, &process, error);
	if (!result && kernel_linker_find(process, &linker)) {
		result = run_linker(pid, process, &linker, error);
		close(linker.file);
	}
	if (result && result != -ESRCH && result != -ECHILD &&
		ptrace(PTRACE_DETACH, pid, NULL, NULL))
		result = tell(pid, error);
	usdt_process_free(process);
	return result;
}

int kernel_launch_continue(pid_t pid)
{
	int result = ptrace(PTRACE_DETACH, pid, NULL, NULL) ? errno : 0;

	/* Only a process that is not our child, or has ended, may be left; any other would stay
	 * stopped. */
	if (result && result != ESRCH)
		result = ptrace(PTRACE_DETACH, pid, NULL, NULL) ? errno : 0;
	return result ? kernel_hold_continue((uint32_t)pid) : 0;
}

/* ---- steps ---- */

struct kernel_steps {
	pid_t pid;
	struct kernel_watch *watch;
	int link;
	uint64_t state;
};

/* Watches the present program. Returns whether its dynamic linker will report. */
static bool watch_program(struct kernel_steps *steps)
{
	struct usdt_process *process;
	struct kernel_linker linker;
	struct error ignored;
	bool has_linker;

	if (steps->link >= 0)
		close(steps->link);
	steps->link = -1;
	if (usdt_process_map(steps->pid, &process, &ignored))
		return false;
	has_linker = kernel_linker_find(process, &linker);
	steps->state = has_linker ? linker.state : 0;
	if (kernel_watch_add(steps->watch, (uint32_t)steps->pid, has_linker ? &linker : NULL, true,
		    &steps->link))
		steps->link = -1;
	if (has_linker)
		close(linker.file);
	usdt_process_free(process);
	return steps->link >= 0;
}

int kernel_steps_begin(pid_t pid, struct kernel_steps **steps, struct error *error)
{
	struct kernel_steps *made = calloc(1, sizeof(*made));
	struct bpf_features features;
	int result;

	*steps = NULL;
	if (!made)
		return error_set(error, ENOMEM, "out of memory");
	made->pid = pid;
	made->link = -1;
	result = bpf_features(&features, error);
	if (!result)
		result = kernel_watch_new(&features, KERNEL_SCOPE_NAMED, &made->watch, error);
	if (result) {
		free(made);
		return result;
	}
	watch_program(made);
	*steps = made;
	return 0;
}

/* Returns whether the process has loaded all that it is loading at the moment. */
static bool is_loaded(const struct kernel_steps *steps)
{
	struct usdt_process *process;
	struct error ignored;
	bool result;

	if (usdt_process_map(steps->pid, &process, &ignored))
		return true;
	usdt_process_open_memory(process);
	result = kernel_linker_is_consistent(process, steps->state);
	usdt_process_free(process);
	return result;
}

bool kernel_steps_next(struct kernel_steps *steps, int timeout_ms)
{
	struct pollfd wait = {.fd = kernel_watch_descriptor(steps->watch), .events = POLLIN};
	struct kernel_notice notice;

	poll(&wait, 1, timeout_ms);
	while (kernel_watch_next(steps->watch, &notice)) {
		if (notice.kind == KERNEL_NOTICE_PROGRAM ? watch_program(steps)
							 : !is_loaded(steps)) {
			kernel_watch_continue(steps->watch, &notice);
		} else if (notice.stop == KERNEL_NOTICE_STOPPED) {
			kernel_watch_keep(steps->watch, &notice);
			return true;
		}
	}
	return false;
}

void kernel_steps_end(struct kernel_steps *steps)
{
	if (!steps)
		return;
	if (steps->link >= 0)
		close(steps->link);
	kernel_watch_free(steps->watch);
	free(steps);
}
