/*
 * vm_joins.c: see vm_joins.h. A VM joins in steps, none of which waits: it is found, connected to,
 * asked what it is if that decides whether it is wanted, and taken when it has declared its events.
 */
#include "targets/vm_joins.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/error.h"
#include "contract/contract.h"
#include "contract/known.h"
#include "source/merge.h"
#include "source/source.h"
#include "targets/find/endpoint.h"
#include "targets/find/vm_finder.h"
#include "targets/find/vm_name.h"
#include "targets/find/vm_stream.h"
#include "targets/program_hope.h"
#include "targets/target_kinds.h"
#include "targets/targets_private.h"
#include "usdt/process/process_info.h"

enum {
	JOINING_MS = 1000,      /* for a VM to declare its events, see vm_stream_start() */
	STEP_MS = 10,           /* between two checks whether they have */
	BEGIN_MS = 100,         /* longest time to connect to those found, before other work */
	FIRST_MS = 10000,       /* for a command to start a VM, before the script is compiled */
	ANCESTORS_MAX = 100000, /* a limit, since parents may change during the scan */
	LONGEST_MS = 60000,     /* a single wait for it */
	ENDING_MS = 20,         /* between two checks whether the commands' children have ended */
	TORN_TOLD = 10          /* streams that end out of order, each with a line */
};

/* ---- which VMs ---- */

static bool vm_is_target(const struct targets *targets, uint32_t pid)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].process.pid == pid)
			return true;
	return false;
}

/*
 * Returns whether a process is one of the targets, or was started by one. A process whose parent
 * has ended becomes a child of vmtap if a command of ours started it (child_adopt()).
 */
static bool descends(const struct targets *targets, uint32_t pid)
{
	struct process_info process;
	struct error ignored;

	for (unsigned i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (vm_is_target(targets, pid) || pid == (uint32_t)getpid())
			return true;
		if (process_info_read(pid, &process, &ignored))
			return false;
		pid = process.ppid;
	}
	return false;
}

static void note_descendant(struct vm_joins *vms, uint32_t pid)
{
	/* if memory runs out, its orphans are not found */
	if (!array_room(&vms->descendants, &vms->descendant_capacity, vms->descendant_count,
		    sizeof(*vms->descendants)))
		vms->descendants[vms->descendant_count++] = pid;
}

static bool has_descended(const struct targets *targets, uint32_t pid)
{
	const struct vm_joins *vms = &targets->vms;

	for (size_t i = vms->descendant_count; i--;)
		if (vms->descendants[i] == pid)
			return true;
	return pid && vm_is_target(targets, pid);
}

/*
 * Returns whether the VM is to be asked for its parent. If the parent has ended, as that of a
 * daemon has, the system no longer knows it, but the VM does. Older VMs existed when the trace
 * began.
 */
static bool may_be_orphan(uint32_t pid)
{
	return process_info_started(pid) >= process_info_started((uint32_t)getpid());
}

static bool has_joined(const struct vm_joins *vms, uint32_t pid)
{
	for (size_t i = 0; i < vms->count; i++)
		if (vms->items[i].pid == pid)
			return true;
	return false;
}

/* Returns whether the process has the name, or is a child of a traced VM: it may have given itself
 * another name, and waits for us even so. */
static bool is_named(const struct targets *targets, const struct process_info *process)
{
	const char *name = targets->spec->name;

	return vm_name_is_process(name, process) || has_joined(&targets->vms, process->ppid);
}

/* Returns whether the system shows that a VM is wanted. If it does not, the VM is still wanted if
 * the runtime that it reports has the name. */
static bool is_chosen(const struct targets *targets, const struct process_info *process)
{
	switch (targets->group) {
	case TARGET_GROUP_NAMED:
		return is_named(targets, process);
	case TARGET_GROUP_FAMILY:
		return descends(targets, process->pid);
	default:
		return true;
	}
}

/* Returns whether a runtime of that process is traced. */
static bool is_traced(const struct vm_joins *vms, uint32_t pid)
{
	for (size_t i = 0; i < vms->count; i++)
		if (vms->items[i].pid == pid && vms->items[i].part != SIZE_MAX)
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns true if the runtime of that process with this socket has joined or is joining. */
static bool has_socket(const struct vm_joins *vms, uint32_t pid, const char *path)
{
	for (size_t i = 0; i < vms->count; i++)
		if (vms->items[i].pid == pid &&
			!strcmp(base_name(vms->items[i].path), base_name(path)))
			return true;
	for (size_t i = 0; i < vms->joining_count; i++)
		if (vms->joining[i].pid == pid &&
			!strcmp(base_name(vms->joining[i].path), base_name(path)))
			return true;
	return false;
}

static bool is_joining(const struct vm_joins *vms, uint32_t pid)
{
	for (size_t i = 0; i < vms->joining_count; i++)
		if (vms->joining[i].pid == pid)
			return true;
	return false;
}

/* Begins to open a stream, or to ask a VM what it is. Returns -ENOMEM if memory runs out, otherwise
 * as vm_stream_start(). */
static int vm_begin(
	struct vm_joins *vms, uint32_t pid, const char *socket, bool asks, struct error *error)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct vm_joining *joining;
	int result;

	if (array_room(&vms->joining, &vms->joining_capacity, vms->joining_count,
		    sizeof(*vms->joining)))
		return error_set(error, ENOMEM, "out of memory");
	joining = &vms->joining[vms->joining_count];
	*joining = (struct vm_joining){.pid = pid,
		.is_further = socket,
		.asks = asks,
		.due = clock_monotonic() + JOINING_MS * CLOCK_NS_PER_MS};
	result = asks ? vm_stream_ask(pid, &joining->source, error)
		      : vm_stream_start(pid, socket, &joining->source, error);
	if (result)
		return result;
	if (joining->source->process.pid != pid) { /* another process's by now */
		source_close(joining->source);
		return 0;
	}
	source_stream_path(joining->source, joining->path, sizeof(joining->path));
	epoll_ctl(vms->wait, EPOLL_CTL_ADD, source_descriptor(joining->source), &event);
	vms->joining_count++;
	return 0;
}

/* Begins to open the streams of a VM's further runtimes, if it has joined. */
static void begin_further(struct vm_joins *vms, uint32_t pid)
{
	char paths[ENDPOINT_FURTHER_MAX][ENDPOINT_PATH_MAX];
	struct process_info process;
	struct error error;
	size_t known = 0, count;

	while (known < vms->count && vms->items[known].pid != pid)
		known++;
	if (known == vms->count || process_info_read(pid, &process, &error))
		return;
	count = endpoint_further(&process, vms->items[known].path, paths);
	for (size_t i = 0; i < count; i++)
		if (!has_socket(vms, pid, paths[i]) && vm_begin(vms, pid, paths[i], false, &error))
			vm_finder_retry(vms->finder, pid);
}

/* Says once for a process why its stream cannot be opened; the process may be found again. */
static void tell_failure(struct targets *targets, uint32_t pid, const struct error *error)
{
	struct vm_joins *vms = &targets->vms;
	const struct vm_join_failure failure = {pid, process_info_started(pid)};

	for (size_t i = 0; i < vms->failure_count; i++)
		if (vms->failures[i].pid == pid && vms->failures[i].started == failure.started)
			return;
	target_tell(targets, "%s", error->text);
	if (!array_room(&vms->failures, &vms->failure_capacity, vms->failure_count,
		    sizeof(*vms->failures)))
		vms->failures[vms->failure_count++] = failure;
}

/* Decides how to go on with a process whose stream cannot be opened. */
static void take_failure(
	struct targets *targets, uint32_t pid, bool is_further, int result, struct error *error)
{
	struct vm_joins *vms = &targets->vms;

	if (result == -ENOENT || is_further) {
		vm_finder_retry(vms->finder, pid);
	} else if (result == -EAGAIN && vm_finder_retry(vms->finder, pid)) {
		/* others connect to it at this moment, or it has hung */
	} else if (result != -ESRCH && result != -ECONNRESET) { /* these have ended */
		tell_failure(targets, pid, error);
		if (result == -EAGAIN)
			vm_finder_later(vms->finder, pid);
		else if (result == -ETIMEDOUT)
			vm_finder_seldom(vms->finder, pid);
	}
}

/* Begins to open the streams of the VMs that have been found. Each may take a moment, so there may
 * be more. */
static void begin_found(struct targets *targets)
{
	struct vm_joins *vms = &targets->vms;
	const uint64_t limit = clock_monotonic() + BEGIN_MS * CLOCK_NS_PER_MS;
	struct process_info process;
	struct error error;
	bool is_wanted, asks;
	uint32_t pid;
	int result;

	if (vms->last)
		begin_further(vms, vms->last);
	vms->last = 0;
	for (;;) {
		vms->has_more = clock_monotonic() >= limit;
		if (vms->has_more || !vm_finder_next(vms->finder, &pid))
			return;
		begin_further(vms, pid);
		if (has_joined(vms, pid) || is_joining(vms, pid) ||
			process_info_read(pid, &process, &error) || process.exited)
			continue;
		/* We may have stopped it ourselves, until probes are attached. Then it runs again
		 * very soon, and may wait for its stream to be enabled. */
		if (process.stopped) {
			if (!vm_finder_retry(vms->finder, pid))
				vm_finder_later(vms->finder, pid);
			continue;
		}
		is_wanted = is_chosen(targets, &process);
		if (is_wanted && targets->group == TARGET_GROUP_FAMILY)
			note_descendant(vms, pid);
		asks = targets->group == TARGET_GROUP_NAMED || may_be_orphan(pid);
		if (!is_wanted && !asks)
			continue;
		result = vm_begin(vms, pid, NULL, !is_wanted, &error);
		if (result && (is_wanted || result == -ENOENT))
			take_failure(targets, pid, false, result, &error);
		else if (result == -EAGAIN && !vm_finder_retry(vms->finder, pid))
			vm_finder_later(vms->finder, pid);
		else if (result == -ETIMEDOUT)
			vm_finder_seldom(vms->finder, pid);
	}
}

/* Takes the VM's answer to what it is. Returns false if it has not come yet. */
static bool take_answer(struct targets *targets, const struct vm_joining *asked)
{
	struct vm_joins *vms = &targets->vms;
	char runtime[128];
	struct error error;
	uint32_t parent = 0;
	int result;

	if (source_stream_answer(asked->source, runtime, sizeof(runtime), &parent) == -EAGAIN)
		return false;
	source_close(asked->source);
	if (targets->group == TARGET_GROUP_NAMED ? !vm_name_is_runtime(targets->spec->name, runtime)
						 : !has_descended(targets, parent))
		return true;
	if (targets->group == TARGET_GROUP_FAMILY)
		note_descendant(vms, asked->pid);
	result = vm_begin(vms, asked->pid, NULL, false, &error);
	if (result)
		take_failure(targets, asked->pid, false, result, &error);
	return true;
}

/*
 * Returns the next VM, or further runtime of one, that is wanted and has declared its events, and
 * adds its probes to the set. Returns NULL if there is none now.
 */
static struct source *next_source(struct targets *targets, struct d_probe_set *set)
{
	struct vm_joins *vms = &targets->vms;
	struct vm_joining joining;
	struct error error;
	size_t i = 0;
	int result;

	if (!vms->finder)
		return NULL;
	begin_found(targets);
	while (i < vms->joining_count) {
		joining = vms->joining[i];
		if (joining.asks) {
			if (clock_monotonic() >= joining.due)
				vms->joining[i].due = UINT64_MAX;
			if (take_answer(targets, &joining))
				vms->joining[i] = vms->joining[--vms->joining_count];
			else
				i++;
			continue;
		}
		result = target_declare_stream(targets, joining.source, set, &error);
		if (result == -ETIMEDOUT) { /* it joins when it answers */
			vms->joining[i].due = UINT64_MAX;
			if (!joining.is_further)
				tell_failure(targets, joining.pid, &error);
		}
		if (result == -EAGAIN || result == -ETIMEDOUT) {
			i++;
			continue;
		}
		vms->joining[i] = vms->joining[--vms->joining_count];
		if (result) {
			take_failure(targets, joining.pid, joining.is_further, result, &error);
			continue;
		}
		epoll_ctl(vms->wait, EPOLL_CTL_DEL, source_descriptor(joining.source), NULL);
		vms->last = joining.pid;
		/* a further socket, in a directory that is not watched yet */
		if (!joining.is_further)
			vm_finder_later(vms->finder, joining.pid);
		return joining.source;
	}
	return NULL;
}

/* Notes a runtime. Returns NULL if memory runs out. */
static struct vm_joined *remember(struct vm_joins *vms, const struct source *source)
{
	struct vm_joined *joined;

	if (array_room(&vms->items, &vms->capacity, vms->count, sizeof(*vms->items)))
		return NULL;
	joined = &vms->items[vms->count++];
	*joined = (struct vm_joined){.pid = source->process.pid, .part = SIZE_MAX};
	source_stream_path(source, joined->path, sizeof(joined->path));
	return joined;
}

/* Adds an opened stream to the merged source, and closes it if that fails. */
static int vm_add(struct targets *targets, struct source *source, uint32_t first, uint32_t end,
	uint64_t since, struct error *error)
{
	struct vm_joins *vms = &targets->vms;
	const struct merge_part part = {source, first, end};
	struct vm_joined *member = remember(vms, source);
	int result;

	result = member ? source_merge_add(targets->source, &part, since, &member->part, error)
			: error_set(error, ENOMEM, "out of memory");
	if (result) {
		vms->count -= member != NULL;
		source_close(source);
		return result;
	}
	if (!vms->first)
		vms->first = member->pid;
	return 0;
}

/* ---- when the trace begins ---- */

static bool has_probe(const struct d_probe_set *set, const char *provider, const char *name)
{
	size_t length = strlen(provider);

	for (long i = d_probe_set_find(set, name, -1); i >= 0; i = d_probe_set_find(set, name, i)) {
		const char *other = set->probes[i].provider;
		if (!set->probes[i].is_absent && !strncmp(other, provider, length) &&
			other[length] >= '0' && other[length] <= '9')
			return true;
	}
	return false;
}

/* Adds the probes of a provider that no VM has yet, as those of process 0. */
static int expect_provider(struct d_probe_set *set, const struct contract_provider *provider)
{
	char text[64], none[1] = "";

	snprintf(text, sizeof(text), "%s0", provider->name);
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *known = &provider->probes[i];
		struct d_probe_argument arguments[D_PROBE_ARGUMENTS_MAX];
		struct d_probe probe = {.provider = text,
			.module = none,
			.function = none,
			.name = known->name,
			.kind = D_PROBE_SOURCE,
			.argument_count = known->argument_count,
			.arguments = arguments,
			.is_absent = true,
			.is_expected = true};
		if (has_probe(set, provider->name, known->name))
			continue;
		for (unsigned j = 0; j < known->argument_count; j++) {
			probe.arguments[j].type = known->arguments[j].type;
			probe.arguments[j].name = known->arguments[j].name;
		}
		if (d_probe_set_add(set, &probe) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int expect_probes(struct d_probe_set *set, struct error *error)
{
	int result = 0;

	for (size_t i = 0; i < known_contract_count && !result; i++) {
		struct contract *contract;
		result = contract_parse(known_contracts[i].name, known_contracts[i].text,
			known_contracts[i].length, &contract, error);
		for (size_t j = 0; !result && j < contract->provider_count; j++)
			if (expect_provider(set, &contract->providers[j]))
				result = error_set(error, ENOMEM, "out of memory");
		if (contract)
			contract_free(contract);
	}
	return result;
}

/* Adds the VMs that serve a stream now. All have the same time limit to declare their events. */
static int open_present(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	const uint64_t limit = clock_monotonic() + JOINING_MS * CLOCK_NS_PER_MS;
	struct pollfd wait = {.fd = targets->vms.wait, .events = POLLIN};
	size_t first = set->count;
	struct source *source;
	int result = 0;

	for (;;) {
		while (!result && (source = next_source(targets, set))) {
			result = vm_add(
				targets, source, (uint32_t)first, (uint32_t)set->count, 0, error);
			first = set->count;
		}
		if (result || vm_joins_due(targets) == UINT64_MAX || clock_monotonic() >= limit)
			return result;
		poll(&wait, 1, STEP_MS);
	}
}

/* Waits until something may have changed. */
static void wait_for_change(const struct targets *targets, int timeout_ms)
{
	struct pollfd waits[] = {{.fd = targets->vms.wait, .events = POLLIN},
		{.fd = targets->ends, .events = POLLIN}};

	poll(waits, 2, timeout_ms);
}

/* Returns true if a command has been started that is a VM or may start one. */
static bool starts_command(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (target_is_started(&targets->items[i]) &&
			program_may_serve(targets->items[i].command.words[0]))
			return true;
	return false;
}

/* Waits for the first VM. With TARGET_GROUP_FAMILY, waits only as long as one can still start. */
static int await_first(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	bool children = targets->group == TARGET_GROUP_FAMILY;
	const uint64_t begun = clock_monotonic(), most = FIRST_MS * CLOCK_NS_PER_MS;
	const uint64_t left = target_patience(targets, children ? most : UINT64_MAX - begun);
	const uint64_t longest = children ? ENDING_MS : LONGEST_MS;
	bool over = false, told = false;
	int result = 0;

	while (!result && !targets->vms.count && !over) {
		uint64_t now = clock_monotonic(),
			 rest = begun + left > now ? begun + left - now : 0;

		if (!children && !told && targets->reports.waiting)
			targets->reports.waiting(targets->spec->name);
		told = true;
		rest /= CLOCK_NS_PER_MS;
		wait_for_change(targets, (int)(rest < longest ? rest : longest));
		over = clock_monotonic() - begun >= left ||
			(children && vm_joins_are_over(targets));
		result = open_present(targets, set, error);
	}
	targets->waited += clock_monotonic() - begun;
	if (!result && !children && !targets->vms.count)
		result = error_set(error, ETIMEDOUT,
			"no VM of the name '%s' has served an event stream in that time",
			targets->spec->name);
	return result;
}

static bool is_held(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (target_process_is_held(&targets->items[i].process))
			return true;
	return false;
}

int vm_joins_open(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	struct vm_joins *vms = &targets->vms;
	struct epoll_event event = {.events = EPOLLIN};
	int result =
		targets->spec->via == TARGET_VIA_KERNEL ? 0 : vm_finder_new(&vms->finder, error);

	if (!result && vms->finder) {
		vms->wait = epoll_create1(EPOLL_CLOEXEC);
		if (vms->wait < 0 ||
			epoll_ctl(vms->wait, EPOLL_CTL_ADD, vm_finder_descriptor(vms->finder),
				&event))
			result = error_set(error, errno, "looking for VMs: %s", strerror(errno));
	}
	if (!result)
		result = source_merge_new(NULL, 0, true, &targets->source, error);
	if (!result)
		result = open_present(targets, set, error);
	/* A command that is held starts when the script has been compiled. */
	if (!result && (targets->group == TARGET_GROUP_NAMED || starts_command(targets)) &&
		!is_held(targets))
		result = await_first(targets, set, error);
	if (!result)
		result = expect_probes(set, error);
	debug_say(DEBUG_TARGET, "%zu VMs at the beginning", vms->count);
	return result;
}

/* ---- while it runs ---- */

/*
 * Enables the probes of a VM that has appeared, and adds it. One without probes for the script is
 * closed; if it is a further runtime of a VM, this is noted. Takes over the source.
 */
static int vm_join(struct targets *targets, const struct target_joiner *joiner,
	struct source *source, const struct d_probe_set *own, struct error *error)
{
	struct target_joined joined;
	int result = joiner->enable(joiner->context, source, own, &joined, error);

	if (!result && joined.first < joined.end)
		return vm_add(targets, source, joined.first, joined.end, joined.since, error);
	if (!result && has_joined(&targets->vms, source->process.pid) &&
		!remember(&targets->vms, source))
		result = error_set(error, ENOMEM, "out of memory");
	source_close(source);
	return result;
}

static void take_found(struct targets *targets, const struct target_joiner *joiner)
{
	struct source *source;
	struct error error;

	for (;;) {
		struct d_probe_set own = {0};
		int result = d_probe_set_init(&own) ? -ENOMEM : 0;
		source = result ? NULL : next_source(targets, &own);
		if (source)
			result = vm_join(targets, joiner, source, &own, &error);
		d_probe_set_free(&own);
		/* A process that has ended meanwhile is not reported. */
		if (source && result && result != -ECONNRESET)
			target_tell(targets, "%s", error.text);
		if (result)
			targets->vms.last = 0; /* not tried again and again */
		if (!source)
			return;
	}
}

/* Reports a stream that ended out of order, even in a quiet trace, since its last events may be
 * missing. */
static void tell_torn(struct targets *targets, const struct error *reason)
{
	if (++targets->vms.torn_count <= TORN_TOLD)
		target_tell(targets, "%s", reason->text);
}

static void remove_ended(struct targets *targets)
{
	struct vm_joins *vms = &targets->vms;
	const struct error *reason;
	enum source_state state;
	size_t kept = 0;

	for (size_t i = 0; i < vms->count; i++) {
		const struct vm_joined member = vms->items[i];
		if (!source_merge_ended(targets->source, member.part, &state, &reason)) {
			vms->items[kept++] = member;
			continue;
		}
		if (state == SOURCE_BROKEN)
			tell_torn(targets, reason);
		source_merge_remove(targets->source, member.part);
		vm_finder_forget(vms->finder, member.pid);
	}
	vms->count = kept;
	/* the runtimes that are not traced are noted as long as the VM has others */
	for (size_t i = kept = 0; i < vms->count; i++)
		if (vms->items[i].part != SIZE_MAX || is_traced(vms, vms->items[i].pid))
			vms->items[kept++] = vms->items[i];
	vms->count = kept;
}

void vm_joins_take(struct targets *targets, const struct target_joiner *joiner)
{
	remove_ended(targets);
	take_found(targets, joiner);
	if (vm_joins_are_over(targets))
		source_merge_settle(targets->source);
}

void vm_joins_end(struct targets *targets)
{
	const struct vm_joins *vms = &targets->vms;

	if (!targets_may_join(targets) || !targets->source)
		return;
	remove_ended(targets);
	if (vms->torn_count > TORN_TOLD)
		target_tell(targets,
			"%zu more streams have not been ended in order: the last events of "
			"their processes may be missing",
			vms->torn_count - TORN_TOLD);
}

bool vm_joins_are_over(struct targets *targets)
{
	const struct vm_joins *vms = &targets->vms;

	if (targets->group != TARGET_GROUP_FAMILY || !targets_poll(targets))
		return false;
	for (size_t i = 0; i < vms->joining_count; i++)
		if (vms->joining[i].due != UINT64_MAX)
			return false;
	return source_merge_is_left(targets->source) && !child_adopted();
}

int vm_joins_descriptor(const struct targets *targets)
{
	return targets->vms.wait;
}

uint64_t vm_joins_due(const struct targets *targets)
{
	const struct vm_joins *vms = &targets->vms;
	uint64_t due = vms->has_more ? 0 : UINT64_MAX;

	for (size_t i = 0; i < vms->joining_count; i++)
		due = vms->joining[i].due < due ? vms->joining[i].due : due;
	return due;
}

void vm_joins_close(struct vm_joins *vms)
{
	for (size_t i = 0; i < vms->joining_count; i++)
		source_close(vms->joining[i].source);
	if (vms->wait >= 0)
		close(vms->wait);
	vm_finder_free(vms->finder);
	free(vms->joining);
	free(vms->items);
	free(vms->failures);
	free(vms->descendants);
	*vms = (struct vm_joins){.wait = -1};
}
