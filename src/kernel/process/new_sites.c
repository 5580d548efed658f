/*
 * new_sites.c: see new_sites.h. A process that is stopped for a notice is resumed when the source
 * that was made from the notice is closed, whether or not its probes were attached. So each way out
 * of here has to lead to kernel_later_go_on().
 */
#include "kernel/process/new_sites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "kernel/process/process_source_private.h"
#include "kernel/process/shared_files.h"
#include "kernel/process/source_members.h"
#include "kernel/process/source_process.h"
#include "kernel/site/function_sites.h"
#include "kernel/site/usdt_sites.h"
#include "usdt/code/pid_probe.h"

/* A source for what has appeared in a process. */
struct kernel_later {
	struct source source;
	struct kernel_source *kernel;
	struct kernel_target *target; /* NULL: given away */
	size_t process;
	struct kernel_notice notice;
};

int kernel_later_note(struct kernel_source *kernel, const struct kernel_notice *notice)
{
	if (array_room(&kernel->notices, &kernel->notice_capacity, kernel->notice_count,
		    sizeof(*notice)))
		return -ENOMEM;
	kernel->notices[kernel->notice_count++] = *notice;
	return 0;
}

void kernel_later_take(struct kernel_source *kernel)
{
	struct kernel_notice notice;

	if (kernel->scope == KERNEL_SCOPE_ALL && !kernel->stopping)
		kernel_all_take(kernel);
	if (!kernel->watch)
		return;
	while (kernel_watch_next(kernel->watch, &notice))
		if (kernel_later_note(kernel, &notice)) {
			kernel_source_tell(kernel, notice.pid,
				"out of memory: what it has loaded is not traced");
			kernel_watch_continue(kernel->watch, &notice);
		}
	if (!kernel->told_missed && kernel_watch_has_missed(kernel->watch)) {
		kernel->told_missed = true;
		kernel_source_tell(kernel, kernel->source.process.pid,
			"some of the libraries that it loads may not be traced: there were too "
			"many at once");
	}
}

void kernel_later_go_on(struct kernel_source *kernel, const struct kernel_notice *notice)
{
	enum kernel_watch_result result = !kernel->watch || notice->kind == KERNEL_NOTICE_PROBES
		? KERNEL_WATCH_WAITED
		: kernel_watch_continue(kernel->watch, notice);

	if (result == KERNEL_WATCH_RAN)
		kernel_source_tell(kernel, notice->pid,
			"it has run for a while before its new probes were attached: events of "
			"that time are missing");
	else if (result == KERNEL_WATCH_HAS_ENDED)
		kernel_source_tell(kernel, notice->pid,
			"it ended before its new probes were attached: events are missing, unless "
			"it was killed");
}

static void free_target(struct kernel_target *target)
{
	if (target)
		kernel_target_close(target);
	free(target);
}

static struct kernel_later *later_of(const struct source *source)
{
	return (struct kernel_later *)(uintptr_t)source;
}

static void later_renumber(struct source *source, const uint32_t *numbers)
{
	kernel_target_renumber(later_of(source)->target, numbers);
}

static int later_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct kernel_later *later = later_of(source);
	struct kernel_source *kernel = later->kernel;
	struct kernel_target *target = later->target;

	later->target = NULL;
	if (!request->want_count) {
		kernel_process_map(kernel->processes[later->process], target, true);
		return 0;
	}
	if (kernel_source_keep(kernel, target, later->process)) {
		free(target);
		return error_set(error, ENOMEM, "out of memory");
	}
	free(target); /* the group has taken what is in it */
	kernel_reduce_answer(&kernel->reduction, request);
	return kernel_source_attach(
		kernel, kernel->groups[kernel->group_count - 1], request, error);
}

static void later_close(struct source *source)
{
	struct kernel_later *later = later_of(source);

	kernel_later_go_on(later->kernel, &later->notice);
	free_target(later->target);
	free(later);
}

static const struct source_methods later_methods = {
	.enable = later_enable,
	.renumber = later_renumber,
	.close = later_close,
};

/* Lists the targets by which files of a process are known; see kernel_target_open_later(). */
static size_t list_known(
	const struct kernel_source *kernel, size_t process, const struct kernel_target **list)
{
	size_t count = 0;

	list[count++] = kernel->processes[process]->latest;
	for (size_t i = 0; i < kernel->group_count; i++)
		if (kernel->groups[i]->process == process)
			list[count++] = &kernel->groups[i]->target;
	return count;
}

/*
 * The files in which functions have been searched are passed from target to target: reading all of
 * them again, and opening them once more, would make each dlopen() more expensive than the one
 * before.
 */
static int take_finder(
	struct kernel_target *target, struct kernel_target *latest, struct error *error)
{
	struct pid_finder *finder = latest ? latest->finder : NULL;

	for (uint32_t i = 0; i < target->file_count && finder; i++) {
		const struct usdt_object *object = target->files[i].object;

		/* another file has got the number of one that is gone */
		if (!target->files[i].is_known &&
			pid_finder_knows(
				finder, object->inode, object->device_major, object->device_minor))
			return 0;
	}
	if (!finder)
		return 0;
	target->finder = finder;
	latest->finder = NULL;
	return pid_finder_advance(finder, error);
}

/*
 * Fails if descriptors have run out: files that could not be opened would seem to have no probes.
 */
static int check_descriptors(struct error *error)
{
	int spare = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0), result = spare < 0 ? errno : 0;

	if (spare >= 0)
		close(spare);
	return result == EMFILE || result == ENFILE
		? error_set(error, result, "%s", strerror(result))
		: 0;
}

/* Finds the sites of the files that a process has mapped since the last scan. */
static int find_later(struct kernel_source *kernel, size_t process, struct kernel_target *target,
	struct d_probe_set *own, struct error *error)
{
	const struct kernel_target **known =
		calloc(kernel->group_count + 1, sizeof(struct kernel_target *));
	uint32_t pid = kernel->processes[process]->pid;
	struct error ignored;
	int result = known ? 0 : error_set(error, ENOMEM, "out of memory");

	if (!result)
		result = kernel_target_open_later(
			target, pid, known, list_known(kernel, process, known), NULL, error);
	if (!result &&
		!kernel_linker_is_consistent(target->process, kernel->processes[process]->state))
		result = -EAGAIN; /* a notice will follow */
	target->has_stream = kernel->processes[process]->has_stream;
	if (!result)
		result = take_finder(target, kernel->processes[process]->latest, error);
	if (!result && kernel_usdt_add(target, own))
		result = error_set(error, ENOMEM, "out of memory");
	for (size_t i = 0; i < kernel->asked_count && !result; i++)
		if (kernel_pid_add(target, own, &kernel->asked[i], 1, &ignored) == -ENOMEM)
			result = error_set(error, ENOMEM, "out of memory");
	if (!result)
		result = check_descriptors(error);
	free(known);
	return result;
}

/* Handles a process that executes another program, which is another process as far as its probes
 * are concerned. */
static void replace_program(struct kernel_source *kernel, size_t number)
{
	struct kernel_process *old = kernel->processes[number], process;
	struct error ignored;
	bool may_stop = old->may_stop, has_stream = old->has_stream;

	/* Its links would stay in the new program if that maps the same files. */
	kernel_member_end(kernel, number);
	if (kernel_process_open(&process, old->pid, &ignored))
		return;
	process.may_stop = may_stop;
	process.has_stream = has_stream;
	if (kernel_member_keep(kernel, &process)) {
		kernel_process_close(&process);
		return;
	}
	kernel_member_watch(kernel, kernel->process_count - 1);
}

/* Takes the first notice. Returns NULL if it is dealt with, and the process resumed. */
static struct source *take_notice(struct kernel_source *kernel, struct d_probe_set *own)
{
	const struct kernel_notice notice = kernel->notices[0];
	struct kernel_later *later = NULL;
	struct kernel_target *target = NULL;
	long process = kernel_member_find(kernel, notice.pid);
	struct error error;
	int result = -ESRCH;

	memmove(kernel->notices, kernel->notices + 1,
		--kernel->notice_count * sizeof(*kernel->notices));
	if (kernel->scope != KERNEL_SCOPE_NAMED)
		return kernel_shared_take(kernel, &notice, own);
	if (process >= 0 && notice.kind == KERNEL_NOTICE_PROGRAM) {
		replace_program(kernel, (size_t)process);
		process = kernel_member_find(kernel, notice.pid);
	}
	if (process >= 0) {
		target = calloc(1, sizeof(*target));
		later = calloc(1, sizeof(*later));
		result = target && later ? find_later(kernel, (size_t)process, target, own, &error)
					 : error_set(&error, ENOMEM, "out of memory");
	}
	if ((result == -EMFILE || result == -ENFILE) && !kernel->told_descriptors) {
		kernel->told_descriptors = true;
		kernel_source_tell(kernel, notice.pid,
			"what it has loaded is not traced, nor may be what it loads later: %s: a "
			"higher hard limit of descriptors is needed (ulimit -Hn)",
			strerror(-result));
	}
	if (result == -ENOMEM || result == -EACCES)
		kernel_source_tell(
			kernel, notice.pid, "what it has loaded is not traced: %s", error.text);
	if (!result && (target->site_count || target->obstacle_count)) {
		*later = (struct kernel_later){.source = {.methods = &later_methods,
						       .process = kernel->processes[process]->event,
						       .kind = SOURCE_KIND_KERNEL},
			.kernel = kernel,
			.target = target,
			.process = (size_t)process,
			.notice = notice};
		return &later->source;
	}
	free(later);
	if (result)
		free_target(target);
	else
		kernel_process_map(kernel->processes[process], target, true);
	kernel_later_go_on(kernel, &notice);
	return NULL;
}

/* At the end no process is stopped any more, and only probes that have been hit are of interest. */
static void drop_notices(struct kernel_source *kernel)
{
	size_t kept = 0;

	for (size_t i = 0; i < kernel->notice_count; i++)
		if (kernel->notices[i].kind == KERNEL_NOTICE_PROBES)
			kernel->notices[kept++] = kernel->notices[i];
	kernel->notice_count = kept;
}

struct source *source_kernel_later(struct source *source, struct d_probe_set *own)
{
	struct kernel_source *kernel = kernel_source_of(source);
	struct source *later = NULL;

	kernel_later_take(kernel);
	if (kernel->stopping)
		drop_notices(kernel);
	while (kernel->notice_count && !later)
		later = take_notice(kernel, own);
	return later;
}
