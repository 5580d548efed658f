/* thread_state.c: see thread_state.h. */
#include "usdt/process/thread_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_thread_file(const struct os_thread_state *state, const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/%s", state->pid,
		state->tid, name);
	return fopen(path, "re");
}

/* Reads a file's first line, without its end, into text; "" if there is none. */
static void read_line(
	const struct os_thread_state *state, const char *name, char *text, size_t size)
{
	FILE *file = open_thread_file(state, name);

	if (!file || !fgets(text, (int)size, file))
		*text = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* Takes the line of the file syscall: "running", "-1 SP PC", or the number, six arguments, SP, PC.
 */
static void take_call(struct os_thread_state *state, const char *line)
{
	uint64_t numbers[8];
	unsigned count = 0;
	char *end;

	state->call = strtoll(line, &end, 10);
	if (end == line)
		return;
	while (count < 8 && *end == ' ') {
		const char *at = end + 1;

		numbers[count] = strtoull(at, &end, 16);
		if (end == at)
			return;
		count++;
	}
	if (count != 8 && count != 2)
		return;
	if (count == 8)
		memcpy(state->arguments, numbers, sizeof(state->arguments));
	state->sp = numbers[count - 2];
	state->pc = numbers[count - 1];
	state->waits = state->sp && state->pc;
}

int thread_state_read(uint32_t pid, uint32_t tid, struct os_thread_state *state)
{
	char line[256];
	FILE *status;

	*state = (struct os_thread_state){.pid = pid, .tid = tid, .call = -1};
	status = open_thread_file(state, "status");
	while (status && fgets(line, sizeof(line), status)) {
		uint64_t count;

		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "Name:\t", 6))
			snprintf(state->name, sizeof(state->name), "%.63s", line + 6);
		else if (!strncmp(line, "State:\t", 7))
			state->state = line[7];
		else if (sscanf(line, "voluntary_ctxt_switches: %" SCNu64, &count) == 1 ||
			sscanf(line, "nonvoluntary_ctxt_switches: %" SCNu64, &count) == 1)
			state->switches += count;
	}
	if (status)
		fclose(status);
	if (!state->state || state->state == 'Z' || state->state == 'X')
		return -ESRCH;
	read_line(state, "syscall", line, sizeof(line));
	take_call(state, line);
	read_line(state, "wchan", state->place, sizeof(state->place));
	if (!strcmp(state->place, "0"))
		*state->place = '\0';
	return 0;
}

bool thread_state_lasts(const struct os_thread_state *state)
{
	struct os_thread_state now;

	return state->waits && !thread_state_read(state->pid, state->tid, &now) && now.waits &&
		now.switches == state->switches && now.call == state->call && now.sp == state->sp &&
		now.pc == state->pc;
}
