/* arrival.c: see arrival.h. */
#include "cli/trace/arrival.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

enum {
	RUNTIME_MS = 1000,      /* for a VM to say what it is */
	FIRST_MS = 10000,       /* for a command to start a VM, before the script is compiled */
	ANCESTORS_MAX = 100000, /* a bound in case that processes change while they are looked at */
	ENDING_MS = 20          /* between two looks whether the commands' children have ended */
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
	struct endpoint_process process;
	struct error ignored;

	for (unsigned i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (is_target(targets, pid) || pid == (uint32_t)getpid())
			return true;
		if (endpoint_process(pid, &process, &ignored))
			return false;
		pid = process.ppid;
	}
	return false;
}

/* Whether a runtime, such as "toy 0.1.0", has this name, with or without the version. */
static bool is_runtime(const char *runtime, const char *name)
{
	size_t length = strlen(name);

	return length && !strncmp(runtime, name, length) &&
		(!runtime[length] || runtime[length] == ' ' || runtime[length] == '-');
}

static bool is_named(const struct endpoint_process *process, const char *name)
{
	char runtime[128];
	struct error ignored;

	return !strcmp(process->name, name) || !strcmp(process->program, name) ||
		(!source_stream_runtime(
			 process->pid, RUNTIME_MS, runtime, sizeof(runtime), &ignored) &&
			is_runtime(runtime, name));
}

static bool is_chosen(const struct targets *targets, const struct endpoint_process *process)
{
	switch (targets->arrivals.choice) {
	case ARRIVAL_NAMED:
		return is_named(process, targets->arrivals.name);
	case ARRIVAL_CHILDREN:
		return descends(targets, process->pid);
	default:
		return true;
	}
}

static bool has_arrived(const struct arrivals *arrivals, uint32_t pid)
{
	for (size_t i = 0; i < arrivals->count; i++)
		if (arrivals->items[i].pid == pid)
			return true;
	return false;
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
	return false;
}

/*
 * The next further runtime of a VM that has joined: opens its stream and adds its probes to the
 * set. NULL: there is none now.
 */
static struct source *next_further(struct targets *targets, uint32_t pid, struct d_probe_set *set)
{
	struct arrivals *arrivals = &targets->arrivals;
	char paths[ENDPOINT_FURTHER_MAX][ENDPOINT_PATH_MAX];
	struct endpoint_process process;
	struct source *source;
	struct error error;
	size_t known = 0, count;

	while (known < arrivals->count && arrivals->items[known].pid != pid)
		known++;
	if (known == arrivals->count || endpoint_process(pid, &process, &error))
		return NULL;
	count = endpoint_further(&process, arrivals->items[known].path, paths);
	for (size_t i = 0; i < count; i++) {
		if (has_socket(arrivals, pid, paths[i]))
			continue;
		if (target_open_stream(targets, pid, paths[i], -1, set, &source, &error))
			finder_retry(arrivals->finder, pid);
		else if (source->process.pid == pid)
			return source;
		else
			source_close(source);
	}
	return NULL;
}

/* Says once for a process why its stream cannot be opened; the process may be found again. */
static void tell_failure(struct arrivals *arrivals, uint32_t pid, const struct error *error)
{
	const struct arrival_failure failure = {pid, endpoint_started(pid)};

	for (size_t i = 0; i < arrivals->failure_count; i++)
		if (arrivals->failures[i].pid == pid &&
			arrivals->failures[i].started == failure.started)
			return;
	cli_message("%s", error->text);
	if (!array_room(&arrivals->failures, &arrivals->failure_capacity, arrivals->failure_count,
		    sizeof(*arrivals->failures)))
		arrivals->failures[arrivals->failure_count++] = failure;
}

/*
 * The next VM that is wanted and can be connected to, or a further runtime of one: opens its stream
 * and adds its probes to the set. NULL: there is none now.
 */
static struct source *next_source(struct targets *targets, struct d_probe_set *set)
{
	struct arrivals *arrivals = &targets->arrivals;
	struct endpoint_process process;
	struct source *source;
	struct error error;
	uint32_t pid = arrivals->last;

	if (!arrivals->finder)
		return NULL;
	source = pid ? next_further(targets, pid, set) : NULL;
	if (source)
		return source;
	while (finder_next(arrivals->finder, &pid)) {
		arrivals->last = pid;
		source = next_further(targets, pid, set);
		if (source)
			return source;
		if (has_arrived(arrivals, pid) || endpoint_process(pid, &process, &error) ||
			process.exited)
			continue;
		if (process.stopped) {
			finder_later(arrivals->finder, pid);
			continue;
		}
		if (!is_chosen(targets, &process))
			continue;
		switch (target_open_stream(targets, pid, NULL, -1, set, &source, &error)) {
		case 0:
			/* a further socket, in a directory that is not watched yet */
			finder_later(arrivals->finder, pid);
			return source;
		case -ENOENT:
			finder_retry(arrivals->finder, pid);
			break;
		case -ESRCH:
		case -ECONNRESET: /* it has ended */
			break;
		default:
			tell_failure(arrivals, pid, &error);
		}
	}
	arrivals->last = 0;
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

/* Adds the VMs that serve a stream now. */
static int open_present(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	size_t first = set->count;
	struct source *source;
	int result = 0;

	while (!result && (source = next_source(targets, set))) {
		result = add(targets, source, (uint32_t)first, (uint32_t)set->count, 0, error);
		first = set->count;
	}
	return result;
}

/* Waits until something may have changed. */
static void wait_for_change(const struct targets *targets, int timeout_ms)
{
	struct pollfd waits[] = {
		{.fd = finder_descriptor(targets->arrivals.finder), .events = POLLIN},
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
	int result = targets->via == TARGET_VIA_KERNEL ? 0 : finder_new(&arrivals->finder, error);

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

void arrival_leave(struct targets *targets, bool quiet)
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
		if (state == SOURCE_BROKEN && !quiet)
			cli_message("%s", reason->text);
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

bool arrival_is_over(struct targets *targets)
{
	if (targets->arrivals.choice != ARRIVAL_CHILDREN || !target_poll(targets))
		return false;
	return source_merge_live(targets->source) == 0 && !child_adopted();
}

int arrival_descriptor(const struct targets *targets)
{
	return targets->arrivals.finder ? finder_descriptor(targets->arrivals.finder) : -1;
}

void arrival_close(struct arrivals *arrivals)
{
	finder_free(arrivals->finder);
	free(arrivals->items);
	free(arrivals->failures);
	*arrivals = (struct arrivals){.choice = ARRIVAL_NONE};
}
