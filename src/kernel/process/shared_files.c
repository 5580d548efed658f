/*
 * shared_files.c: see shared_files.h. A site has the probe of the process in which its file was
 * found first; records of other processes lead to a notice, and then their own probes are made.
 * Files without probes are remembered (struct kernel_seen), so that a later process costs only the
 * comparison.
 */
#include "kernel/process/shared_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/debug.h"
#include "base/error.h"
#include "kernel/process/new_sites.h"
#include "kernel/process/probe_alias.h"
#include "kernel/process/process_source_private.h"
#include "kernel/process/source_members.h"
#include "kernel/process/source_process.h"
#include "kernel/site/function_sites.h"
#include "kernel/site/usdt_sites.h"
#include "usdt/process/process_info.h"

/* ---- finding files ---- */

static bool same_file(const struct usdt_object *one, const struct usdt_object *other)
{
	return one->inode == other->inode && one->device_major == other->device_major &&
		one->device_minor == other->device_minor;
}

/* Finds the sites of the files of a process that no group has. */
static int find_files(struct kernel_source *kernel, uint32_t pid, unsigned flags,
	struct kernel_target *target, struct d_probe_set *set, struct error *error)
{
	const struct kernel_target **known =
		calloc(kernel->group_count + 1, sizeof(struct kernel_target *));
	int result = known ? 0 : error_set(error, ENOMEM, "out of memory");

	for (size_t i = 0; i < kernel->group_count && known; i++)
		known[i + 1] = &kernel->groups[i]->target;
	if (!result)
		result = kernel_target_open_later(
			target, pid, known, kernel->group_count + 1, &kernel->seen, error);
	free(known);
	target->is_shared = true;
	target->has_stream = flags & SOURCE_KERNEL_HAS_STREAM;
	target->may_miss = flags & SOURCE_KERNEL_MAY_MISS;
	if (kernel->scope == KERNEL_SCOPE_ALL) {
		target->asked = kernel->asked;
		target->asked_count = kernel->asked_count;
	}
	if (!result && kernel_usdt_add(target, set))
		result = error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
	/* of the programs of all processes, those that scripts do not ask for define nothing */
	if (!result && (kernel->scope == KERNEL_SCOPE_FAMILY || target->site_count) &&
		kernel_source_carry(kernel, target))
		result = error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid);
	if (!result && kernel->scope == KERNEL_SCOPE_FAMILY)
		result = kernel_pid_add(target, set, kernel->asked, kernel->asked_count, error);
	return result;
}

/* Returns whether anything is to be done for a file of a target. */
static bool has_sites(const struct kernel_target *target, uint32_t file)
{
	for (size_t i = 0; i < target->site_count; i++)
		if (target->sites[i].file == file)
			return true;
	return false;
}

static void open_files(struct kernel_target *target)
{
	for (uint32_t i = 0; i < target->file_count; i++)
		if (has_sites(target, i))
			kernel_target_file(target, i);
}

/* Keeps the files with sites open, so that those of the next process are recognized; the other
 * files are recorded as having none. Returns 0 or -ENOMEM. */
static int note_files(struct kernel_source *kernel, struct kernel_target *target)
{
	int result = 0;

	for (uint32_t i = 0; i < target->file_count && !result; i++) {
		const struct kernel_file *file = &target->files[i];

		if (has_sites(target, i))
			kernel_target_file(target, i);
		else if (!file->is_known && !file->is_seen && !target->obstacle_count &&
			usdt_object_has_code(file->object))
			result = kernel_target_see(target, i, &kernel->seen);
	}
	return result;
}

/* ---- aliases ---- */

/* Makes the probes of a target's sites those of its own process. Returns 0 or -ENOMEM. */
static int set_own(struct kernel_source *kernel, const struct kernel_target *target)
{
	int result = 0;

	for (size_t i = 0; i < target->site_count && !result; i++)
		result = kernel_alias_set(&kernel->aliases, target->sites[i].probe, target->pid,
			target->sites[i].probe);
	return result;
}

/*
 * Adds the probes of a process at sites of another group's file to the set. Returns 0 or -ENOMEM.
 */
static int add_aliases_of(
	struct kernel_source *kernel, const struct kernel_target *from, uint32_t file, uint32_t pid)
{
	uint32_t found;
	int result = 0;

	for (size_t i = 0; i < from->site_count && !result; i++) {
		uint32_t probe = from->sites[i].probe;
		long number;

		if (from->sites[i].file != file ||
			kernel_alias_get(&kernel->aliases, probe, pid, &found))
			continue;
		number = kernel_alias_add(kernel->set, &kernel->set->probes[probe], from->pid, pid);
		result = number < 0
			? -ENOMEM
			: kernel_alias_set(&kernel->aliases, probe, pid, (uint32_t)number);
	}
	return result;
}

/* The same for all files of a process that groups have already. */
static int add_aliases(struct kernel_source *kernel, const struct kernel_target *target)
{
	int result = 0;

	for (uint32_t i = 0; i < target->file_count; i++)
		for (size_t j = 0; j < kernel->group_count && target->files[i].is_known; j++) {
			const struct kernel_target *from = &kernel->groups[j]->target;

			for (uint32_t k = 0; k < from->file_count && !result; k++)
				if (has_sites(from, k) &&
					same_file(from->files[k].object, target->files[i].object))
					result = add_aliases_of(kernel, from, k, target->pid);
		}
	return result;
}

/* ---- before the source is enabled ---- */

/* Notes a process whose sites are in other groups, too. Takes the target over. Returns 0 or
 * -ENOMEM. */
static int keep(
	struct kernel_source *kernel, struct kernel_process *process, struct kernel_target *target)
{
	int result = note_files(kernel, target);

	if (!result)
		result = set_own(kernel, target);
	if (!result && !kernel->is_enabled) /* later they join when they are hit */
		result = add_aliases(kernel, target);
	if (!result)
		result = kernel_member_keep(kernel, process);
	if (result) {
		kernel_target_close(target);
		kernel_process_close(process);
		return result;
	}
	return kernel_source_keep(kernel, target, kernel->process_count - 1);
}

static int add_one(struct kernel_source *kernel, uint32_t pid, unsigned flags, struct error *error)
{
	struct kernel_process process = {.descriptor = -1, .link = -1};
	struct kernel_target target = {0};
	size_t before = kernel->set->count;
	int result = kernel_process_open(&process, pid, error);

	if (process.descriptor >= 0)
		close(process.descriptor); /* the watch reports its end */
	process.descriptor = -1;
	process.may_stop = flags & SOURCE_KERNEL_OURS || kernel_watch_may_stop(pid);
	process.has_stream = flags & SOURCE_KERNEL_HAS_STREAM;
	if (!result)
		result = find_files(kernel, pid, flags, &target, kernel->set, error);
	if (!result && kernel->scope == KERNEL_SCOPE_ALL && !target.site_count)
		result = kernel_source_check(&target, error);
	if (result) {
		kernel_target_close(&target);
		kernel_process_close(&process);
		d_probe_set_cut(kernel->set, before);
		return result;
	}
	if (kernel->scope == KERNEL_SCOPE_ALL && !target.site_count && !target.obstacle_count) {
		result = note_files(kernel, &target);
		if (!result)
			result = add_aliases(kernel, &target);
		kernel_target_close(&target);
		kernel_process_close(&process);
		return result ? error_set(error, ENOMEM, "out of memory") : 0;
	}
	debug_say(DEBUG_KERNEL, "process %" PRIu32 ": %zu sites in %u files", pid,
		target.site_count, target.file_count);
	result = keep(kernel, &process, &target);
	return result ? error_set(error, ENOMEM, "process %" PRIu32 ": out of memory", pid) : 0;
}

struct family {
	struct kernel_source *kernel;
	unsigned flags;
	bool has_grown;
};

static uint32_t parent_of(uint32_t pid)
{
	struct process_info process;
	struct error ignored;

	return process_info_read(pid, &process, &ignored) || process.exited ? 0 : process.ppid;
}

static void add_child(void *context, uint32_t pid)
{
	struct family *family = context;
	uint32_t parent = parent_of(pid);
	struct error ignored;

	if (!parent || kernel_member_find(family->kernel, pid) >= 0 ||
		kernel_member_find(family->kernel, parent) < 0 || pid == (uint32_t)getpid())
		return;
	if (!add_one(family->kernel, pid, family->flags | SOURCE_KERNEL_MAY_MISS, &ignored))
		family->has_grown = true;
}

int kernel_shared_add(
	struct kernel_source *kernel, uint32_t pid, unsigned flags, struct error *error)
{
	struct family family = {kernel, flags & ~(unsigned)SOURCE_KERNEL_OURS, true};
	int result = kernel_member_find(kernel, pid) < 0 ? add_one(kernel, pid, flags, error) : 0;

	kernel->flags = family.flags | SOURCE_KERNEL_MAY_MISS;
	while (!result && family.has_grown && kernel->scope == KERNEL_SCOPE_FAMILY) {
		family.has_grown = false;
		process_info_each(add_child, &family);
	}
	return result;
}

/* ---- enabling ---- */

int kernel_shared_begin(struct kernel_source *kernel, struct error *error)
{
	int result;

	kernel->is_enabled = true;
	if (kernel->scope == KERNEL_SCOPE_ALL) {
		result = kernel_all_wait(kernel);
		return result
			? error_set(error, -result, "the kernel source: %s", strerror(-result))
			: 0;
	}
	result = kernel_watch_new(&kernel->features, kernel->scope, &kernel->watch, error);
	if (result)
		return result;
	kernel->ring.members = kernel_watch_members(kernel->watch);
	return kernel_source_wait_for(
		kernel, kernel_watch_descriptor(kernel->watch), KERNEL_WAIT_NOTICES);
}

/* Lists the sites' probes that the probes of the set stand for. */
static void list_sites(const struct kernel_source *kernel, uint32_t *sites)
{
	for (uint32_t i = 0; i < kernel->set->count; i++)
		sites[i] = i;
	for (size_t i = 0; i < kernel->aliases.count; i++) {
		const struct kernel_alias *alias = &kernel->aliases.items[i];

		if (alias->probe != UINT32_MAX)
			sites[alias->probe] = alias->site;
	}
}

static int compare_wants(const void *one, const void *other)
{
	const struct source_want *a = one, *b = other;

	if (a->probe != b->probe)
		return a->probe < b->probe ? -1 : 1;
	return a->clause < b->clause ? -1 : a->clause > b->clause;
}

int kernel_shared_request(const struct kernel_source *kernel, const struct source_request *request,
	struct source_request *joint)
{
	uint32_t *sites = calloc(kernel->set->count + 1, sizeof(*sites));
	size_t kept = 0;

	*joint = *request;
	joint->wants = calloc(request->want_count + 1, sizeof(*joint->wants));
	if (!sites || !joint->wants) {
		free(sites);
		free(joint->wants);
		joint->wants = NULL;
		return -ENOMEM;
	}
	list_sites(kernel, sites);
	for (size_t i = 0; i < request->want_count; i++) {
		joint->wants[i] = request->wants[i];
		joint->wants[i].probe = sites[request->wants[i].probe];
	}
	qsort(joint->wants, request->want_count, sizeof(*joint->wants), compare_wants);
	for (size_t i = 0; i < request->want_count; i++)
		if (!i || compare_wants(&joint->wants[i], &joint->wants[kept - 1]))
			joint->wants[kept++] = joint->wants[i];
	joint->want_count = kept;
	free(sites);
	return 0;
}

/* Returns whether any thread of the process lives. */
static bool is_alive(uint32_t pid)
{
	return usdt_process_thread((pid_t)pid) > 0;
}

/* Watches a process, or another program in it. */
static void watch_member(
	struct kernel_source *kernel, const struct usdt_process *mapped, bool may_stop)
{
	uint32_t pid = (uint32_t)mapped->pid;
	struct kernel_linker linker;
	bool has_linker = kernel_linker_find(mapped, &linker);
	int result =
		kernel_watch_add_family(kernel->watch, pid, has_linker ? &linker : NULL, may_stop);

	if (has_linker)
		close(linker.file);
	/* if it has ended meanwhile, nothing else would remove it */
	if (!is_alive(pid))
		kernel_watch_remove(kernel->watch, pid);
	else if (result)
		kernel_source_tell(kernel, pid,
			"what it loads or executes from now on is not traced: %s",
			strerror(-result));
	debug_say(DEBUG_KERNEL, "process %" PRIu32 " is %swatched", pid, result ? "not " : "");
}

/* Watches a process that runs: a scan for what it has loaded since the last one follows. */
static void watch_running(struct kernel_source *kernel, uint32_t pid, bool may_stop)
{
	struct usdt_process *mapped = NULL;
	struct error ignored;

	if (usdt_process_map((pid_t)pid, &mapped, &ignored))
		return;
	watch_member(kernel, mapped, may_stop);
	usdt_process_free(mapped);
	kernel_later_note(
		kernel, &(struct kernel_notice){.kind = KERNEL_NOTICE_OBJECTS, .pid = pid});
}

static void watch_child(void *context, uint32_t pid)
{
	struct family *family = context;
	uint32_t parent = parent_of(pid);

	if (!parent || kernel_watch_has(family->kernel->watch, pid) ||
		!kernel_watch_has(family->kernel->watch, parent) || pid == (uint32_t)getpid())
		return;
	watch_running(family->kernel, pid, kernel_watch_may_stop(pid));
	family->has_grown |= kernel_watch_has(family->kernel->watch, pid);
}

void kernel_shared_watch(struct kernel_source *kernel)
{
	struct family family = {kernel, 0, true};

	if (kernel->scope == KERNEL_SCOPE_ALL) {
		for (size_t i = 0; i < kernel->group_count; i++)
			kernel_all_guard(kernel, kernel->groups[i]);
		kernel->all.begun = clock_monotonic();
		return;
	}
	for (size_t i = 0; i < kernel->process_count; i++)
		watch_running(kernel, kernel->processes[i]->pid, kernel->processes[i]->may_stop);
	/* what was started after the processes were scanned */
	while (family.has_grown) {
		family.has_grown = false;
		process_info_each(watch_child, &family);
	}
}

bool kernel_shared_is_over(const struct kernel_source *kernel)
{
	return kernel->scope == KERNEL_SCOPE_FAMILY && kernel->watch &&
		kernel_watch_is_empty(kernel->watch);
}

/* ---- while it runs ---- */

bool kernel_shared_probe(struct kernel_source *kernel, const struct kernel_group *group,
	uint32_t site, uint32_t pid, uint32_t *probe)
{
	const struct kernel_attached *attached = kernel_group_site(group, site);

	if (kernel_alias_get(&kernel->aliases, attached->site->probe, pid, probe))
		return true;
	for (size_t i = 0; i < kernel->notice_count; i++)
		if (kernel->notices[i].kind == KERNEL_NOTICE_PROBES &&
			kernel->notices[i].pid == pid && kernel->notices[i].site == site)
			return false;
	kernel_later_note(kernel,
		&(struct kernel_notice){.kind = KERNEL_NOTICE_PROBES, .pid = pid, .site = site});
	return false;
}

/* A source for what has appeared in a process: its probes at sites that are attached to, or new
 * files. */
struct shared_later {
	struct source source;
	struct kernel_source *kernel;
	struct kernel_notice notice;
	uint32_t *sites; /* the sites' probes, by the index in the own set; NULL: files */
	size_t count;
	struct kernel_target target;
	struct kernel_process process;
	bool has_target;
	bool is_late;  /* the process has run code of the files already */
	char name[64]; /* the process's */
};

static struct shared_later *later_of(const struct source *source)
{
	return (struct shared_later *)(uintptr_t)source;
}

static void later_renumber(struct source *source, const uint32_t *numbers)
{
	struct shared_later *later = later_of(source);

	for (size_t i = 0; i < later->count; i++)
		if (later->sites[i] != UINT32_MAX)
			kernel_alias_set(&later->kernel->aliases, later->sites[i],
				later->notice.pid, numbers[i]);
	kernel_target_renumber(&later->target, numbers);
}

/*
 * Tells the user that a process has run code of files whose probes have been attached to only now.
 */
static void tell_late(const struct shared_later *later, const struct kernel_group *group)
{
	const struct kernel_target *target = &group->target;
	const struct kernel_attachment *attachment = &group->attachment;
	uint32_t first = attachment->site_count ? attachment->sites[0].site->file : 0;
	bool has_others = false;

	for (size_t i = 0; i < attachment->site_count; i++)
		has_others |= attachment->sites[i].site->file != first;
	if (attachment->site_count)
		kernel_source_tell(later->kernel, later->notice.pid,
			"%s%s was mapped before its probes were attached: its first events may be "
			"missing",
			target->files[first].name, has_others ? ", with others," : "");
}

static int later_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct shared_later *later = later_of(source);
	struct kernel_source *kernel = later->kernel;
	struct kernel_group *group;
	int result;

	if (request->want_count)
		kernel_reduce_answer(&kernel->reduction, request);
	if (!later->has_target || !request->want_count)
		return 0;
	later->has_target = false;
	if (keep(kernel, &later->process, &later->target))
		return error_set(error, ENOMEM, "out of memory");
	group = kernel->groups[kernel->group_count - 1];
	result = kernel_source_attach(kernel, group, request, error);
	if (!result && kernel->scope == KERNEL_SCOPE_ALL)
		kernel_all_guard(kernel, group);
	if (!result && later->is_late)
		tell_late(later, group);
	return result;
}

static void later_close(struct source *source)
{
	struct shared_later *later = later_of(source);

	kernel_later_go_on(later->kernel, &later->notice);
	if (later->has_target) {
		kernel_target_close(&later->target);
		kernel_process_close(&later->process);
	}
	free(later->sites);
	free(later);
}

static const struct source_methods later_methods = {
	.enable = later_enable,
	.renumber = later_renumber,
	.close = later_close,
};

static struct shared_later *new_later(
	struct kernel_source *kernel, const struct kernel_notice *notice)
{
	struct shared_later *later = calloc(1, sizeof(*later));
	struct process_info shown;
	struct error ignored;

	if (!later)
		return NULL;
	*later = (struct shared_later){
		.source = {.methods = &later_methods, .kind = SOURCE_KIND_KERNEL},
		.kernel = kernel,
		.notice = *notice};
	if (!process_info_read(notice->pid, &shown, &ignored))
		snprintf(later->name, sizeof(later->name), "%s", shown.name);
	later->source.process = (struct event_process){.pid = notice->pid, .execname = later->name};
	return later;
}

/* Returns a source for the probes of a process that has hit a site for the first time. */
static struct source *take_probes(
	struct kernel_source *kernel, const struct kernel_notice *notice, struct d_probe_set *own)
{
	const struct kernel_group *group = kernel_source_group(kernel, notice->site);
	struct shared_later *later = new_later(kernel, notice);
	size_t room = own->count + group->attachment.site_count;
	uint32_t found;

	if (later)
		later->sites = malloc(room * sizeof(*later->sites));
	if (!later || !later->sites) {
		free(later);
		kernel_source_tell(kernel, notice->pid, "out of memory: it is not traced");
		kernel_alias_set(&kernel->aliases,
			kernel_group_site(group, notice->site)->site->probe, notice->pid,
			UINT32_MAX);
		return NULL;
	}
	for (later->count = 0; later->count < own->count; later->count++)
		later->sites[later->count] = UINT32_MAX;
	for (size_t i = 0; i < group->attachment.site_count; i++) {
		uint32_t site = group->attachment.sites[i].site->probe;

		if (kernel_alias_get(&kernel->aliases, site, notice->pid, &found))
			continue;
		/* until it is known better, so that nothing waits for it for ever */
		kernel_alias_set(&kernel->aliases, site, notice->pid, UINT32_MAX);
		if (kernel_alias_add(
			    own, &kernel->set->probes[site], group->target.pid, notice->pid) >= 0)
			later->sites[later->count++] = site;
	}
	return &later->source;
}

/* Watches the program that a process of a family runs now. Returns false if a notice will follow
 * when its dynamic linker has loaded what it is loading. */
static bool watch_program(struct kernel_source *kernel, const struct usdt_process *mapped)
{
	struct kernel_linker linker;
	bool has_linker = kernel_linker_find(mapped, &linker);
	bool is_consistent = !has_linker || kernel_linker_is_consistent(mapped, linker.state);

	if (has_linker)
		close(linker.file);
	watch_member(kernel, mapped, false);
	return is_consistent;
}

/* Returns a source for files that no other process has mapped before. */
static struct source *take_files(
	struct kernel_source *kernel, const struct kernel_notice *notice, struct d_probe_set *own)
{
	struct shared_later *later = new_later(kernel, notice);
	bool is_all = kernel->scope == KERNEL_SCOPE_ALL, is_looked_at = false;
	struct error ignored;
	int result = later ? kernel_process_open(&later->process, notice->pid, &ignored) : -ENOMEM;

	if (result)
		goto settled;
	if (later->process.descriptor >= 0)
		close(later->process.descriptor);
	later->process.descriptor = -1;
	result = find_files(kernel, notice->pid, kernel->flags, &later->target, own, &ignored);
	if (!later->target.process) /* it has ended */
		goto settled;
	if (!is_all && !watch_program(kernel, later->target.process))
		goto settled;
	/* a process that has just ended shows no mappings */
	is_looked_at = !result && later->target.file_count;
	if (!result && (later->target.site_count || later->target.obstacle_count)) {
		later->has_target = true;
		later->is_late = is_all && notice->time > kernel->all.begun;
		open_files(&later->target); /* as long as the process lives */
		if (is_all)
			kernel_unseen_learn(&kernel->all.unseen, notice->pid, true);
		return &later->source;
	}
	note_files(kernel, &later->target);
settled:
	if (is_all)
		kernel_unseen_learn(&kernel->all.unseen, notice->pid, is_looked_at);
	if (result == -ENOMEM)
		kernel_source_tell(
			kernel, notice->pid, "out of memory: what it has loaded is not traced");
	if (later) {
		kernel_target_close(&later->target);
		kernel_process_close(&later->process);
	}
	free(later);
	kernel_later_go_on(kernel, notice);
	return NULL;
}

struct source *kernel_shared_take(
	struct kernel_source *kernel, const struct kernel_notice *notice, struct d_probe_set *own)
{
	if (notice->kind == KERNEL_NOTICE_PROBES)
		return take_probes(kernel, notice, own);
	if (kernel->scope == KERNEL_SCOPE_ALL)
		return take_files(kernel, notice, own);
	if (notice->kind == KERNEL_NOTICE_PROGRAM)
		kernel_shown_replace(&kernel->shown, notice->pid);
	kernel_stacks_follow(&kernel->reduction.stacks, notice->pid, NULL);
	if (!kernel_watch_has(kernel->watch, notice->pid)) {
		kernel_later_go_on(kernel, notice);
		return NULL;
	}
	return take_files(kernel, notice, own);
}
