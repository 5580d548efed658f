/*
 * target_process.c: see target_process.h. An event that the table of states does not have is a
 * fault of the caller: it changes nothing, and VMTAP_DEBUG=target shows it.
 */
#include "targets/target_process.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/debug.h"
#include "base/error.h"
#include "kernel/watch/launch.h"
#include "usdt/process/process_info.h"

static void target_process_step(struct target_process *process, enum target_event event)
{
	int next = target_state_next(process->state, event);

	debug_say(DEBUG_TARGET, "process %u: %s -> %s%s", (unsigned int)process->pid,
		target_state_name(process->state), target_event_name(event),
		next < 0 ? ", which cannot be" : "");
	if (next >= 0)
		process->state = (enum target_state)next;
}

static void note_end(struct target_process *process)
{
	if (process->state != TARGET_ENDED)
		target_process_step(process, TARGET_END);
}

static bool is_command(const struct target_process *process)
{
	return process->child.pid != 0;
}

int target_process_create(struct target_process *process, char *const *words,
	const struct descriptor_limit *limit, struct error *error)
{
	int result = child_start(&process->child, words, limit, error);

	process->pid = (uint32_t)process->child.pid;
	if (!result)
		target_process_step(process, TARGET_CREATE);
	return result;
}

void target_process_found(struct target_process *process, uint32_t pid)
{
	process->pid = pid;
	if (process->state == TARGET_GIVEN)
		target_process_step(process, TARGET_FIND);
}

int target_process_find(struct target_process *process, struct error *error)
{
	struct process_info info;
	int result;

	if (process->watched < 0)
		process->watched = child_process((pid_t)process->pid);
	result = process_info_read(process->pid, &info, error);
	if (!result && info.exited)
		result = error_set(error, ESRCH, "process %u (%s) has ended",
			(unsigned int)process->pid, info.name);
	if (!result)
		target_process_found(process, process->pid);
	return result;
}

bool target_process_is_unstarted(const struct target_process *process)
{
	return (process->state == TARGET_CREATED || process->state == TARGET_ENABLED) &&
		process->child.line >= 0;
}

int target_process_start(
	struct target_process *process, char *const *words, unsigned wait, struct error *error)
{
	const bool waits = target_process_is_unstarted(process);
	int result = child_release(&process->child, words, wait, error);

	if (result) /* the child has been removed */
		note_end(process);
	else if (waits)
		target_process_step(
			process, process->state == TARGET_ENABLED ? TARGET_RELEASE : TARGET_START);
	return result;
}

int target_process_launch(struct target_process *process, struct error *error)
{
	int result = kernel_launch(process->child.pid, error);

	if (result != -ECHILD && (result != -ESRCH || !child_poll(&process->child)))
		target_process_step(process, TARGET_HOLD);
	return result;
}

void target_process_stepped(struct target_process *process)
{
	target_process_step(process, TARGET_HOLD);
}

int target_process_resume(struct target_process *process, struct error *error)
{
	const bool is_enabled = process->state == TARGET_ENABLED;

	if (process->state != TARGET_HELD && (!is_enabled || target_process_is_unstarted(process)))
		return 0;
	if (kernel_launch_continue(process->child.pid))
		return error_set(error, errno, "process %u cannot be continued: %s",
			(unsigned int)process->pid, strerror(errno));
	target_process_step(process, is_enabled ? TARGET_RELEASE : TARGET_RESUME);
	return 0;
}

void target_process_enabled(struct target_process *process)
{
	if (process->state != TARGET_ENDED)
		target_process_step(process, TARGET_ENABLE);
}

bool target_process_is_gone(const struct target_process *process)
{
	struct pollfd wait = {.fd = process->watched, .events = POLLIN};
	struct process_info info;
	struct error ignored;

	if (process->watched >= 0)
		return poll(&wait, 1, 0) > 0;
	return process_info_read(process->pid, &info, &ignored) || info.exited;
}

bool target_process_poll(struct target_process *process)
{
	bool ended;

	if (process->state == TARGET_ENDED)
		return true;
	ended = is_command(process) ? child_poll(&process->child) : target_process_is_gone(process);
	if (ended)
		target_process_step(process, TARGET_END);
	return ended;
}

int target_process_descriptor(const struct target_process *process)
{
	return is_command(process) ? process->child.descriptor : process->watched;
}

bool target_process_end(struct target_process *process)
{
	bool killed = child_end(&process->child);

	if (process->watched >= 0)
		close(process->watched);
	process->watched = -1;
	note_end(process);
	return killed;
}
