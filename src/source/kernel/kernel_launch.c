/*
 * kernel_launch.c: see kernel_launch.h.
 *
 * Dynamic linkers call an empty function, _dl_debug_state(), before and after they change what is
 * loaded, and keep the state in _r_debug, both for debuggers. A program on that function stops the
 * process at each call, until the state says that all libraries are there. This is after they have
 * been relocated and before their constructors run.
 */
#include "source/kernel/kernel_launch.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "source/kernel/bpf.h"
#include "source/kernel/bpf_code.h"
#include "usdt/process_images.h"
#include "usdt/symbol_value.h"

enum {
	STATE_PLACE = 24, /* r_state in struct r_debug of <link.h>, on 64-bit machines */
	STATE_CONSISTENT = 0,
	STOPS_MAX = 8 /* calls of the function at the start; two are usual */
};

/* Where the dynamic linker tells debuggers of what it has loaded. */
struct linker {
	uint64_t offset; /* of the function in its file */
	uint64_t state;  /* address of the state in the process; 0: the first call tells enough */
	int file;
};

bool kernel_is_allowed(struct error *error)
{
	struct bpf_features features;

	return !bpf_features(&features, error);
}

/* The address at which a symbol that an object exports is in the process; 0: there is none. A
 * program that is linked statically has a copy of the linker's function, which nothing calls; but
 * it exports nothing. */
static uint64_t symbol_address(const struct usdt_object *object, int file, const char *name)
{
	uint64_t value;

	if (!object->mapping_count || object->mappings[0].offset ||
		usdt_symbol_exported(file, name, strlen(name), &value))
		return 0;
	return object->mappings[0].begin + value;
}

/* The function's place in its object's file. */
static bool find_offset(const struct usdt_object *object, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < object->mapping_count; i++) {
		const struct usdt_mapping *mapping = &object->mappings[i];

		if (address >= mapping->begin && address < mapping->end && mapping->is_executable) {
			*offset = address - mapping->begin + mapping->offset;
			return true;
		}
	}
	return false;
}

/* Looks through the objects that the kernel has mapped: the program and its dynamic linker. That of
 * musl calls the function once, when all is loaded, and exports only a pointer to the state. */
static bool find_linker(const struct usdt_process *process, struct linker *linker)
{
	for (size_t i = 0; i < process->object_count; i++) {
		const struct usdt_object *object = &process->objects[i];
		uint64_t function, debug, pointer;

		linker->file = usdt_object_file(process, object);
		if (linker->file < 0)
			continue;
		function = symbol_address(object, linker->file, "_dl_debug_state");
		debug = symbol_address(object, linker->file, "_r_debug");
		pointer = symbol_address(object, linker->file, "_dl_debug_addr");
		if (function && (debug || pointer) &&
			find_offset(object, function, &linker->offset)) {
			linker->state = debug ? debug + STATE_PLACE : 0;
			return true;
		}
		close(linker->file);
	}
	return false;
}

/* Attaches a program to the function that stops the process there. The link, or a negative errno.
 */
static int stop_at(pid_t pid, const struct linker *linker, struct error *error)
{
	const uint64_t offset = linker->offset, cookie = 0;
	struct bpf_sites sites = {
		.offsets = &offset, .cookies = &cookie, .count = 1, .pid = (uint32_t)pid};
	struct bpf_features features;
	struct bpf_code code;
	char path[64];
	int result = bpf_features(&features, error), program, link;

	if (result)
		return result;
	bpf_code_begin(&code);
	bpf_set(&code, BPF_REG_1, SIGSTOP);
	bpf_call(&code, BPF_FUNC_send_signal);
	bpf_set(&code, BPF_REG_0, 0);
	bpf_exit(&code);
	result = bpf_code_end(&code);
	program = result
		? result
		: bpf_load(code.instructions, code.count, features.multi ? BPF_MULTI : 0, error);
	bpf_code_free(&code);
	if (program < 0)
		return program;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", linker->file);
	sites.path = path;
	link = features.multi ? bpf_attach_sites(program, &sites)
			      : bpf_attach_site(program, &sites, 0);
	close(program);
	return link >= 0
		? link
		: error_set(error, -link, "the kernel does not attach to the dynamic linker: %s",
			  strerror(-link));
}

/* Waits until the process has stopped. -ESRCH: it has ended, and is not waited for. */
static int await_stop(pid_t pid)
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
	return 0;
}

static bool is_loaded(const struct usdt_process *process, const struct linker *linker)
{
	int32_t state;

	return !linker->state ||
		usdt_process_memory(process, linker->state, &state, sizeof(state)) ||
		state == STATE_CONSISTENT;
}

/* Ends our tracing of a process that is stopped, with a signal or 0. */
static int let_go(pid_t pid, int number, struct error *error)
{
	if (!ptrace(PTRACE_DETACH, pid, NULL, (void *)(uintptr_t)number))
		return 0;
	return error_set(
		error, ECHILD, "process %d cannot be let go: %s", (int)pid, strerror(errno));
}

/* Lets the process run until its libraries are loaded. It is stopped by SIGSTOP then. */
static int run_linker(pid_t pid, const struct usdt_process *process, const struct linker *linker,
	bool *is_traced, struct error *error)
{
	int link = stop_at(pid, linker, error), result;

	if (link < 0)
		return link;
	result = let_go(pid, 0, error);
	*is_traced = result;
	if (!result)
		result = await_stop(pid);
	for (unsigned i = 1; i < STOPS_MAX && !result && !is_loaded(process, linker); i++) {
		if (kill(pid, SIGCONT))
			result = error_set(error, EPERM, "process %d cannot be continued: %s",
				(int)pid, strerror(errno));
		else
			result = await_stop(pid);
	}
	close(link);
	return result;
}

int kernel_launch(pid_t pid, struct error *error)
{
	struct usdt_process *process;
	struct linker linker;
	int result = await_stop(pid);
	bool is_traced = true;

	if (result)
		return result;
	result = usdt_process_open(pid, &process, error);
	if (result)
		return let_go(pid, 0, error) ? -ECHILD : result;
	if (find_linker(process, &linker)) {
		result = run_linker(pid, process, &linker, &is_traced, error);
		close(linker.file);
	} else {
		result = let_go(pid, SIGSTOP, error);
		is_traced = result;
		if (!result)
			result = await_stop(pid);
	}
	if (is_traced && result != -ECHILD && let_go(pid, 0, error))
		result = -ECHILD;
	usdt_process_free(process);
	return result;
}
