/*
 * dump_process.c: see dump_process.h. Each thread is examined in turn while the others run. The
 * output is complete in memory before anything is printed, so a slow reader stops no thread.
 */
#include "cli/dump/dump_process.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clean_text.h"
#include "base/error.h"
#include "base/process_stat.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/jvm_map.h"
#include "engine/output/place_text.h"
#include "targets/target_kernel_facts.h"
#include "targets/target_spec.h"
#include "usdt/process/process_info.h"
#include "usdt/process/process_symbols.h"
#include "usdt/process/thread_state.h"
#include "usdt/unwind/thread_stack.h"

enum { FRAMES_MAX = 512, INDENT = 14, TRACED_TRIES = 25, TRACED_MS = 10 };

/* A flag of /proc/PID/stat. */
#define KERNEL_THREAD 0x00200000u

struct process_dump {
	const struct process_info *process;
	bool may_fail;
	struct places places;
	struct thread_stacks *stacks;
	FILE *output;
	size_t threads, refused; /* shown; not to be stopped by us */
};

/* ---- what a thread does ---- */

/* What a descriptor of the process is: "socket:[123]", "/dev/tty"; "" if that is not known. */
static void name_file(const struct os_thread_state *state, uint64_t number, char *text, size_t size)
{
	char path[64], found[256];
	ssize_t length;

	*text = '\0';
	if (number > INT32_MAX)
		return;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/fd/%" PRIu64, state->pid, number);
	length = readlink(path, found, sizeof(found));
	if (length > 0)
		clean_text(text, size, found, (size_t)length, false);
}

/* "waits in read of 3 (pipe:[12]), anon_pipe_read". */
static void print_wait(const struct process_dump *dump, const struct os_thread_state *state)
{
	bool is_of_file;
	const char *name = state->call >= 0 ? target_kernel_call(state->call, &is_of_file) : NULL;
	char file[512];

	fputs(state->state == 'D' ? "waits uninterruptibly" : "waits", dump->output);
	if (name)
		fprintf(dump->output, " in %s", name);
	else if (state->call >= 0)
		fprintf(dump->output, " in system call %" PRIi64, state->call);
	if (name && is_of_file) {
		name_file(state, state->arguments[0], file, sizeof(file));
		fprintf(dump->output, *file ? " of %" PRIu64 " (%s)" : " of %" PRIu64,
			state->arguments[0], file);
	}
	if (*state->place)
		fprintf(dump->output, ", %s", state->place);
}

static void print_head(const struct process_dump *dump, const struct os_thread_state *state)
{
	char name[3 * sizeof(state->name) + 1];

	clean_text(name, sizeof(name), state->name, strlen(state->name), false);
	fprintf(dump->output, "thread %" PRIu32 " (%s): ", state->tid, name);
	if (state->state == 'T')
		fputs("is stopped", dump->output);
	else if (state->state == 't')
		fputs("is stopped by a debugger", dump->output);
	else if (state->state == 'R' || (!state->waits && !*state->place))
		fputs("runs", dump->output);
	else
		print_wait(dump, state);
	putc('\n', dump->output);
}

/* ---- its stack ---- */

static void print_frames(const struct process_dump *dump, const uint64_t *pcs, size_t count)
{
	uint64_t words[FRAMES_MAX + 1] = {dump->process->pid}, at = 0;
	char buffer[PLACE_TEXT_MAX];
	struct text stack = {(const char *)words, (uint32_t)((count + 1) * sizeof(*words)), 0};
	struct places places = dump->places;

	memcpy(words + 1, pcs, count * sizeof(*pcs));
	while (place_frame_text(&places, D_VALUE_STACK, &stack, &at, buffer))
		fprintf(dump->output, "%*s%s\n", INDENT, "", buffer);
}

static void print_lack(const struct process_dump *dump, enum thread_stack_lack lack)
{
	static const char *const texts[] = {
		[THREAD_STACK_CALL] = "(more frames: --interrupt shows them, but the call then "
				      "fails with EINTR)",
		[THREAD_STACK_DEAF] = "(more frames: the thread cannot be stopped)",
		[THREAD_STACK_OTHERS] = "(more frames: the thread may not be stopped)",
		[THREAD_STACK_BROKEN] = "(more frames)"};

	if (lack)
		fprintf(dump->output, "%*s%s\n", INDENT, "", texts[lack]);
}

static void dump_thread(struct process_dump *dump, uint32_t tid)
{
	uint64_t pcs[FRAMES_MAX];
	struct os_thread_state state;
	enum thread_stack_lack lack;
	size_t count;

	if (thread_state_read(dump->process->pid, tid, &state))
		return;
	lack = thread_stack_take(dump->stacks, &state, dump->may_fail, pcs, FRAMES_MAX, &count);
	if (dump->threads++)
		putc('\n', dump->output);
	dump->refused += lack == THREAD_STACK_OTHERS;
	print_head(dump, &state);
	print_frames(dump, pcs, count);
	print_lack(dump, lack);
}

/* ---- all threads ---- */

static int compare_ids(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

/* Lists the threads of a process. Returns 0, or a negative errno. */
static int list_threads(uint32_t pid, uint32_t **ids, size_t *count)
{
	size_t capacity = 0;
	struct dirent *entry;
	char path[64];
	DIR *folder;
	int result = 0;

	*ids = NULL;
	*count = 0;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	folder = opendir(path);
	if (!folder)
		return -errno;
	while (!result && (entry = readdir(folder))) {
		if (*entry->d_name < '0' || *entry->d_name > '9')
			continue;
		result = array_room(ids, &capacity, *count, sizeof(**ids));
		if (!result)
			(*ids)[(*count)++] = (uint32_t)strtoul(entry->d_name, NULL, 10);
	}
	closedir(folder);
	if (*count)
		qsort(*ids, *count, sizeof(**ids), compare_ids);
	return result;
}

/* Returns the process that traces this one, which no other can stop then; 0: none does. */
static uint32_t tracer_of(uint32_t pid)
{
	char tracer[16];

	return process_status_value(pid, "TracerPid", tracer, sizeof(tracer))
		? (uint32_t)strtoul(tracer, NULL, 10)
		: 0;
}

static int refuse_traced(const struct process_info *process, uint32_t tracer)
{
	struct process_info other;
	struct error ignored;

	if (process_info_read(tracer, &other, &ignored))
		snprintf(other.name, sizeof(other.name), "?");
	cli_message("process %" PRIu32 " (%s) is being traced by process %" PRIu32
		    " (%s), which alone can show its stacks",
		process->pid, process->name, tracer, other.name);
	return CLI_CANNOT;
}

static bool is_kernel_thread(uint32_t pid)
{
	char text[PROCESS_STAT_BYTES];
	const char *fields = process_stat_read(pid, text);
	unsigned flags;

	return fields && sscanf(fields, " %*c %*d %*d %*d %*d %*d %u", &flags) == 1 &&
		flags & KERNEL_THREAD;
}

static int dump_threads(struct process_dump *dump)
{
	struct error error = {""};
	uint32_t *ids;
	size_t count;
	struct thread_registers source;
	struct task_registers *registers = target_kernel_registers_open(&source);
	int result = thread_stacks_open(dump->process->pid, source, &dump->stacks, &error);

	if (!result) {
		result = list_threads(dump->process->pid, &ids, &count);
		for (size_t i = 0; i < count && !result; i++)
			dump_thread(dump, ids[i]);
		free(ids);
		if (result || !dump->threads)
			result = error_set(&error, ESRCH, "process %" PRIu32 " (%s) has ended",
				dump->process->pid, dump->process->name);
	}
	thread_stacks_close(dump->stacks);
	target_kernel_registers_close(registers);
	if (result)
		cli_message("%s", error.text);
	else if (dump->refused)
		cli_message("process %" PRIu32
			    " (%s): %zu thread%s may not be stopped: it takes root, or "
			    "kernel.yama.ptrace_scope 0 for processes of one's own",
			dump->process->pid, dump->process->name, dump->refused,
			dump->refused == 1 ? "" : "s");
	return result ? CLI_CANNOT : CLI_OK;
}

int dump_process(uint32_t pid, bool may_fail)
{
	struct target_item item = {.kind = TARGET_PID, .pid = pid};
	const struct target_spec spec = {.items = &item, .count = 1};
	struct process_symbols *symbols;
	struct process_info process;
	struct process_dump dump = {.process = &process, .may_fail = may_fail};
	struct error error = {""};
	char *text = NULL;
	size_t size;
	uint32_t tracer;
	int status;

	if (process_info_read(pid, &process, &error)) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	if (is_kernel_thread(pid)) {
		cli_message("process %" PRIu32
			    " (%s) is a thread of the kernel, without a stack of a program: 'cat "
			    "/proc/%" PRIu32 "/stack' shows that of the kernel",
			pid, process.name, pid);
		return CLI_CANNOT;
	}
	/* another dump, even one that has just been killed, is a tracer for a moment */
	for (int i = 0; (tracer = tracer_of(pid)) && i < TRACED_TRIES; i++)
		poll(NULL, 0, TRACED_MS);
	if (tracer)
		return refuse_traced(&process, tracer);
	jvm_map_ask(&spec);
	symbols = process_symbols_new(NULL);
	dump.output = open_memstream(&text, &size);
	if (!symbols || !dump.output) {
		cli_message("out of memory");
		status = CLI_CANNOT;
	} else {
		dump.places.symbols = process_symbols_lookup(symbols);
		status = dump_threads(&dump);
	}
	if (dump.output && fclose(dump.output) && !status) {
		cli_message("out of memory");
		status = CLI_CANNOT;
	}
	if (!status)
		fputs(text, stdout);
	free(text);
	process_symbols_free(symbols);
	return status;
}
