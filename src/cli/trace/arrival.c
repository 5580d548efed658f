/* arrival.c: see arrival.h. */
#include "cli/trace/arrival.h"

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
#include "cli/cli.h"
#include "cli/trace/join.h"
#include "cli/trace/target.h"
#include "contract/contract.h"
#include "contract/known.h"
#include "source/endpoint.h"
#include "source/finder.h"
#include "source/merge.h"
#include "source/source.h"
#include "usdt/process/process_info.h"

enum {
	ARRIVING_MS = 1000,     /* for a VM to declare its events, see source_stream_start() */
	STEP_MS = 10,           /* between two looks whether they have */
	BEGIN_MS = 100,         /* longest time to connect to those found, before other work */
	FIRST_MS = 10000,       /* for a command to start a VM, before the script is compiled */
	ANCESTORS_MAX = 100000, /* a bound in case that processes change while they are looked at */
	ENDING_MS = 20,         /* between two looks whether the commands' children have ended */
	TORN_TOLD = 10          /* streams that end out of order, each with a line */
};

/* ---- which VMs ---- */

static bool is_target(const struct targets *targets, uint32_t pid)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].pid == pid)
			return true;
	return false;
}

/*
 * Whether a process is one of the targets, or was started by one. A process whose parent has ended
 * becomes a child of vmtap if a command of ours started it (child_adopt()).
 */
static bool descends(const struct targets *targets, uint32_t pid)
{
	struct process_info process;
	struct error ignored;

	for (unsigned i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (is_target(targets, pid) || pid == (uint32_t)getpid())
			return true;
		if (process_info_read(pid, &process, &ignored))
			return false;
		pid = process.ppid;
	}
	return false;
}

static void note_descendant(struct arrivals *arrivals, uint32_t pid)
{
	/* without memory, its orphans are not found */
	if (!array_room(&arrivals->descendants, &arrivals->descendant_capacity,
		    arrivals->descendant_count, sizeof(*arrivals->descendants)))
		arrivals->descendants[arrivals->descendant_count++] = pid;
}

static bool has_descended(const struct targets *targets, uint32_t pid)
{
	const struct arrivals *arrivals = &targets->arrivals;

	for (size_t i = arrivals->descendant_count; i--;)
		if (arrivals->descendants[i] == pid)
			return true;
	return pid && is_target(targets, pid);
}

/*
 * Whether the VM is to be asked for its parent. The system does not know it any more if the parent
 * has ended, as that of a daemon has; the VM does. Older ones were there when the trace began.
 */
static bool may_be_orphan(uint32_t pid)
{
	return process_info_started(pid) >= process_info_started((uint32_t)getpid());
}

/* Whether a runtime, such as "toy 0.1.0", has this name, with or without the version. */
static bool is_runtime(const char *runtime, const char *name)
{
	size_t length = strlen(name);

	return length && !strncmp(runtime, name, length) &&
		(!runtime[length] || runtime[length] == ' ' || runtime[length] == '-');
}

static bool has_arrived(const struct arrivals *arrivals, uint32_t pid)
{
	for (size_t i = 0; i < arrivals->count; i++)
		if (arrivals->items[i].pid == pid)
			return true;
	return false;
}

/* A child of a VM that is traced may have given itself another name. It waits for us even so. */
static bool is_named(const struct arrivals *arrivals, const struct process_info *process)
{
	return !strcmp(process->name, arrivals->name) ||
		!strcmp(process->program, arrivals->name) || has_arrived(arrivals, process->ppid);
}

/* Whether a VM is wanted; it may be without, if what it says that it is has the name. */
static bool is_chosen(const struct targets *targets, const struct process_info *process)
{
	switch (targets->arrivals.choice) {
	case ARRIVAL_NAMED:
		return is_named(&targets->arrivals, process);
	case ARRIVAL_CHILDREN:
		return descends(targets, process->pid);
	default:
		return true;
	}
}

/* Whether a runtime of that process is traced. */
static bool is_traced(const struct arrivals *arrivals, uint32_t pid)
{
	for (size_t i = 0; i < arrivals->count; i++)
		if (arrivals->items[i].pid == pid && arrivals->items[i].part != SIZE_MAX)
			return true;
	return false;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether the runtime of that process with this socket has been looked at. */
static bool has_socket(const struct arrivals *arrivals, uint32_t pid, const char *path)
{
	for (size_t i = 0; i < arrivals->count; i++)
		if (arrivals->items[i].pid == pid &&
			!strcmp(base_name(arrivals->items[i].path), base_name(path)))
			return true;
	for (size_t i = 0; i < arrivals->arriving_count; i++)
		if (arrivals->arriving[i].pid == pid &&
			!strcmp(base_name(arrivals->arriving[i].path), base_name(path)))
			return true;
	return false;
}

static bool is_arriving(const struct arrivals *arrivals, uint32_t pid)
{
	for (size_t i = 0; i < arrivals->arriving_count; i++)
		if (arrivals->arriving[i].pid == pid)
			return true;
	return false;
}

/* Begins to open a stream, or to ask what a VM is. -ENOMEM, or as source_stream_start(). */
static int begin(
	struct arrivals *arrivals, uint32_t pid, const char *socket, bool asks, struct error *error)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct arriving *arriving;
	int result;

	if (array_room(&arrivals->arriving, &arrivals->arriving_capacity, arrivals->arriving_count,
		    sizeof(*arrivals->arriving)))
		return error_set(error, ENOMEM, "out of memory");
	arriving = &arrivals->arriving[arrivals->arriving_count];
	*arriving = (struct arriving){.pid = pid,
		.is_further = socket,
		.asks = asks,
		.due = clock_monotonic() + ARRIVING_MS * CLOCK_NS_PER_MS};
	result = asks ? source_stream_ask(pid, &arriving->source, error)
		      : source_stream_start(pid, socket, &arriving->source, error);
	if (result)
		return result;
	if (arriving->source->process.pid != pid) { /* another process's by now */
		source_close(arriving->source);
		return 0;
	}
	source_stream_path(arriving->source, arriving->path, sizeof(arriving->path));
	epoll_ctl(arrivals->wait, EPOLL_CTL_ADD, source_descriptor(arriving->source), &event);
	arrivals->arriving_count++;
	return 0;
}

/* Begins to open the streams of a VM's further runtimes, if it has joined. */
static void begin_further(struct arrivals *arrivals, uint32_t pid)
{
	char paths[ENDPOINT_FURTHER_MAX][ENDPOINT_PATH_MAX];
	struct process_info process;
	struct error error;
	size_t known = 0, count;

	while (known < arrivals->count && arrivals->items[known].pid != pid)
		known++;
	if (known == arrivals->count || process_info_read(pid, &process, &error))
		return;
	count = endpoint_further(&process, arrivals->items[known].path, paths);
	for (size_t i = 0; i < count; i++)
		if (!has_socket(arrivals, pid, paths[i]) &&
			begin(arrivals, pid, paths[i], false, &error))
			finder_retry(arrivals->finder, pid);
}

/* Says once for a process why its stream cannot be opened; the process may be found again. */
static void tell_failure(struct arrivals *arrivals, uint32_t pid, const struct error *error)
{
	const struct arrival_failure failure = {pid, process_info_started(pid)};

	for (size_t i = 0; i < arrivals->failure_count; i++)
		if (arrivals->failures[i].pid == pid &&
			arrivals->failures[i].started == failure.started)
			return;
	cli_message("%s", error->text);
	if (!array_room(&arrivals->failures, &arrivals->failure_capacity, arrivals->failure_count,
		    sizeof(*arrivals->failures)))
		arrivals->failures[arrivals->failure_count++] = failure;
}

/* What to do with a process whose stream cannot be opened. */
static void take_failure(
	struct arrivals *arrivals, uint32_t pid, bool is_further, int result, struct error *error)
{
	if (result == -ENOENT || is_further) {
		finder_retry(arrivals->finder, pid);
	} else if (result != -ESRCH && result != -ECONNRESET) { /* these have ended */
		tell_failure(arrivals, pid, error);
		if (result == -ETIMEDOUT)
			finder_later(arrivals->finder, pid);
	}
}

/* Begins to open the streams of the VMs that have been found. Each may take a moment, so there may
 * be more. */
static void begin_found(struct targets *targets)
{
	struct arrivals *arrivals = &targets->arrivals;
	const uint64_t limit = clock_monotonic() + BEGIN_MS * CLOCK_NS_PER_MS;
	struct process_info process;
	struct error error;
	bool is_wanted, asks;
	uint32_t pid;
	int result;

	if (arrivals->last)
		begin_further(arrivals, arrivals->last);
	arrivals->last = 0;
	for (;;) {
		arrivals->has_more = clock_monotonic() >= limit;
		if (arrivals->has_more || !finder_next(arrivals->finder, &pid))
			return;
		begin_further(arrivals, pid);
		if (has_arrived(arrivals, pid) || is_arriving(arrivals, pid) ||
			process_info_read(pid, &process, &error) || process.exited)
			continue;
		/* It may be us who have stopped it, until probes are attached, and then it goes on
		 * very soon and may wait for its stream to be enabled. */
		if (process.stopped) {
			if (!finder_retry(arrivals->finder, pid))
				finder_later(arrivals->finder, pid);
			continue;
		}
		is_wanted = is_chosen(targets, &process);
		if (is_wanted && arrivals->choice == ARRIVAL_CHILDREN)
			note_descendant(arrivals, pid);
		asks = arrivals->choice == ARRIVAL_NAMED || may_be_orphan(pid);
		if (!is_wanted && !asks)
			continue;
		result = begin(arrivals, pid, NULL, !is_wanted, &error);
		if (result && (is_wanted || result == -ENOENT))
			take_failure(arrivals, pid, false, result, &error);
	}
}

/* Takes what a VM says that it is, if that has come. False: it goes on being asked. */
static bool take_answer(struct targets *targets, const struct arriving *asked)
{
	struct arrivals *arrivals = &targets->arrivals;
	char runtime[128];
	struct error error;
	uint32_t parent = 0;
	int result;

	if (source_stream_answer(asked->source, runtime, sizeof(runtime), &parent) == -EAGAIN)
		return false;
	source_close(asked->source);
	if (arrivals->choice == ARRIVAL_NAMED ? !is_runtime(runtime, arrivals->name)
					      : !has_descended(targets, parent))
		return true;
	if (arrivals->choice == ARRIVAL_CHILDREN)
		note_descendant(arrivals, asked->pid);
	result = begin(arrivals, asked->pid, NULL, false, &error);
	if (result)
		take_failure(arrivals, asked->pid, false, result, &error);
	return true;
}

/*
 * The next VM, or further runtime of one, that is wanted and has declared its events; adds its
 * probes to the set. NULL: there is none now.
 */
static struct source *next_source(struct targets *targets, struct d_probe_set *set)
{
	struct arrivals *arrivals = &targets->arrivals;
	struct arriving arriving;
	struct error error;
	size_t i = 0;
	int result;

	if (!arrivals->finder)
		return NULL;
	begin_found(targets);
	while (i < arrivals->arriving_count) {
		arriving = arrivals->arriving[i];
		if (arriving.asks) {
			if (clock_monotonic() >= arriving.due)
				arrivals->arriving[i].due = UINT64_MAX;
			if (take_answer(targets, &arriving))
				arrivals->arriving[i] =
					arrivals->arriving[--arrivals->arriving_count];
			else
				i++;
			continue;
		}
		result = target_declare_stream(targets, arriving.source, set, &error);
		if (result == -ETIMEDOUT) { /* it joins when it answers */
			arrivals->arriving[i].due = UINT64_MAX;
			if (!arriving.is_further)
				tell_failure(arrivals, arriving.pid, &error);
		}
		if (result == -EAGAIN || result == -ETIMEDOUT) {
			i++;
			continue;
		}
		arrivals->arriving[i] = arrivals->arriving[--arrivals->arriving_count];
		if (result) {
			take_failure(arrivals, arriving.pid, arriving.is_further, result, &error);
			continue;
		}
		epoll_ctl(arrivals->wait, EPOLL_CTL_DEL, source_descriptor(arriving.source), NULL);
		arrivals->last = arriving.pid;
		/* a further socket, in a directory that is not watched yet */
		if (!arriving.is_further)
			finder_later(arrivals->finder, arriving.pid);
		return arriving.source;
	}
	return NULL;
}

/* Notes a runtime; NULL: out of memory. */
static struct arrived *remember(struct arrivals *arrivals, const struct source *source)
{
	struct arrived *grown =
		realloc(arrivals->items, (arrivals->count + 1) * sizeof(*arrivals->items));

	if (!grown)
		return NULL;
	arrivals->items = grown;
	grown += arrivals->count++;
	*grown = (struct arrived){.pid = source->process.pid, .part = SIZE_MAX};
	source_stream_path(source, grown->path, sizeof(grown->path));
	return grown;
}

/* Adds an opened stream to the merged source, and closes it if that fails. */
static int add(struct targets *targets, struct source *source, uint32_t first, uint32_t end,
	uint64_t since, struct error *error)
{
	struct arrivals *arrivals = &targets->arrivals;
	const struct merge_part part = {source, first, end};
	struct arrived *arrived = remember(arrivals, source);
	int result;

	result = arrived ? source_merge_add(targets->source, &part, since, &arrived->part, error)
			 : error_set(error, ENOMEM, "out of memory");
	if (result) {
		arrivals->count -= arrived != NULL;
		source_close(source);
		return result;
	}
	if (!arrivals->first)
		arrivals->first = arrived->pid;
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

/* Adds the VMs that serve a stream now. All have the same time to declare their events. */
static int open_present(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	const uint64_t limit = clock_monotonic() + ARRIVING_MS * CLOCK_NS_PER_MS;
	struct pollfd wait = {.fd = targets->arrivals.wait, .events = POLLIN};
	size_t first = set->count;
	struct source *source;
	int result = 0;

	for (;;) {
		while (!result && (source = next_source(targets, set))) {
			result = add(
				targets, source, (uint32_t)first, (uint32_t)set->count, 0, error);
			first = set->count;
		}
		if (result || arrival_due(targets) == UINT64_MAX || clock_monotonic() >= limit)
			return result;
		poll(&wait, 1, STEP_MS);
	}
}

/* Waits until something may have changed. */
static void wait_for_change(const struct targets *targets, int timeout_ms)
{
	struct pollfd waits[] = {{.fd = targets->arrivals.wait, .events = POLLIN},
		{.fd = targets->ends, .events = POLLIN}};

	poll(waits, 2, timeout_ms);
}

static bool starts_command(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].command.words)
			return true;
	return false;
}

/* Waits for the first VM; with ARRIVAL_CHILDREN no longer than there can be one. */
static int await_first(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	bool children = targets->arrivals.choice == ARRIVAL_CHILDREN;
	uint64_t limit = clock_monotonic() + FIRST_MS * CLOCK_NS_PER_MS;
	bool over = false, told = false;
	int result = 0;

	while (!result && !targets->arrivals.count && !over) {
		if (!children && !told)
			fprintf(stderr, "vmtap: waiting for '%s'\n", targets->arrivals.name);
		told = true;
		wait_for_change(targets, children ? ENDING_MS : -1);
		over = children && (arrival_is_over(targets) || clock_monotonic() > limit);
		result = open_present(targets, set, error);
	}
	return result;
}

static bool is_held(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].held)
			return true;
	return false;
}

int arrival_open(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	struct arrivals *arrivals = &targets->arrivals;
	struct epoll_event event = {.events = EPOLLIN};
	int result = targets->via == TARGET_VIA_KERNEL ? 0 : finder_new(&arrivals->finder, error);

	if (!result && arrivals->finder) {
		arrivals->wait = epoll_create1(EPOLL_CLOEXEC);
		if (arrivals->wait < 0 ||
			epoll_ctl(arrivals->wait, EPOLL_CTL_ADD,
				finder_descriptor(arrivals->finder), &event))
			result = error_set(error, errno, "looking for VMs: %s", strerror(errno));
	}
	if (!result)
		result = source_merge_new(NULL, 0, true, &targets->source, error);
	if (!result)
		result = open_present(targets, set, error);
	/* A command that is held begins when the script has been compiled. */
	if (!result && (arrivals->choice == ARRIVAL_NAMED || starts_command(targets)) &&
		!is_held(targets))
		result = await_first(targets, set, error);
	if (!result)
		result = expect_probes(set, error);
	debug_say(DEBUG_TARGET, "%zu VMs at the beginning", arrivals->count);
	return result;
}

/* ---- while it runs ---- */

/*
 * Enables the probes of a VM that has turned up, and adds it. One without probes for the script is
 * let go; if it is a further runtime of a VM, this is noted. Takes over the source.
 */
static int join(struct targets *targets, const struct join_run *run, struct source *source,
	const struct d_probe_set *own, struct error *error)
{
	struct joined joined;
	int result = join_enable(run, source, own, &joined, error);

	if (!result && joined.first < joined.end)
		return add(targets, source, joined.first, joined.end, joined.since, error);
	if (!result && has_arrived(&targets->arrivals, source->process.pid) &&
		!remember(&targets->arrivals, source))
		result = error_set(error, ENOMEM, "out of memory");
	source_close(source);
	return result;
}

void arrival_join(struct targets *targets, const struct join_run *run)
{
	struct source *source;
	struct error error;

	for (;;) {
		struct d_probe_set own = {0};
		int result = d_probe_set_init(&own) ? -ENOMEM : 0;
		source = result ? NULL : next_source(targets, &own);
		if (source)
			result = join(targets, run, source, &own, &error);
		d_probe_set_free(&own);
		/* A process that has ended meanwhile is nothing to report. */
		if (source && result && result != -ECONNRESET)
			cli_message("%s", error.text);
		if (result)
			targets->arrivals.last = 0; /* not tried again and again */
		if (!source)
			return;
	}
}

/* Its last events may be missing, so this is said in a quiet trace, too. */
static void tell_torn(struct arrivals *arrivals, const struct error *reason)
{
	if (++arrivals->torn_count <= TORN_TOLD)
		cli_message("%s", reason->text);
}

void arrival_leave(struct targets *targets)
{
	struct arrivals *arrivals = &targets->arrivals;
	const struct error *reason;
	enum source_state state;
	size_t kept = 0;

	for (size_t i = 0; i < arrivals->count; i++) {
		const struct arrived arrived = arrivals->items[i];
		if (!source_merge_ended(targets->source, arrived.part, &state, &reason)) {
			arrivals->items[kept++] = arrived;
			continue;
		}
		if (state == SOURCE_BROKEN)
			tell_torn(arrivals, reason);
		source_merge_remove(targets->source, arrived.part);
		finder_forget(arrivals->finder, arrived.pid);
	}
	arrivals->count = kept;
	/* the runtimes that are not traced are noted as long as the VM has others */
	for (size_t i = kept = 0; i < arrivals->count; i++)
		if (arrivals->items[i].part != SIZE_MAX ||
			is_traced(arrivals, arrivals->items[i].pid))
			arrivals->items[kept++] = arrivals->items[i];
	arrivals->count = kept;
}

void arrival_end(struct targets *targets)
{
	const struct arrivals *arrivals = &targets->arrivals;

	if (!arrivals->choice || !targets->source)
		return;
	arrival_leave(targets);
	if (arrivals->torn_count > TORN_TOLD)
		cli_message("%zu more streams have not been ended in order: the last events of "
			    "their processes may be missing",
			arrivals->torn_count - TORN_TOLD);
}

bool arrival_is_over(struct targets *targets)
{
	const struct arrivals *arrivals = &targets->arrivals;

	if (arrivals->choice != ARRIVAL_CHILDREN || !target_poll(targets))
		return false;
	for (size_t i = 0; i < arrivals->arriving_count; i++)
		if (arrivals->arriving[i].due != UINT64_MAX)
			return false;
	return source_merge_is_left(targets->source) && !child_adopted();
}

int arrival_descriptor(const struct targets *targets)
{
	return targets->arrivals.wait > 0 ? targets->arrivals.wait : -1;
}

uint64_t arrival_due(const struct targets *targets)
{
	const struct arrivals *arrivals = &targets->arrivals;
	uint64_t due = arrivals->has_more ? 0 : UINT64_MAX;

	for (size_t i = 0; i < arrivals->arriving_count; i++)
		due = arrivals->arriving[i].due < due ? arrivals->arriving[i].due : due;
	return due;
}

void arrival_close(struct arrivals *arrivals)
{
	for (size_t i = 0; i < arrivals->arriving_count; i++)
		source_close(arrivals->arriving[i].source);
	if (arrivals->wait > 0)
		close(arrivals->wait);
	finder_free(arrivals->finder);
	free(arrivals->arriving);
	free(arrivals->items);
	free(arrivals->failures);
	free(arrivals->descendants);
	*arrivals = (struct arrivals){.choice = ARRIVAL_NONE};
}
