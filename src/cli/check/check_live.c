/*
 * check_live.c: see check_live.h. Counts what each probe has fired, over all processes, and how
 * often its names are empty and its lines 0; what begins and ends is log_nesting's.
 */
#include "cli/check/check_live.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/log/log_nesting.h"
#include "contract/known.h"
#include "source/source.h"
#include "wire/describe.h"

enum {
	NESTING_MAX = 50, /* findings of one process that are shown */
	TEXT_BYTES = 600,
	PROGRAM_BYTES = 80
};

/* What has been seen of a probe, in all processes. */
struct tally {
	char *provider; /* without a pid */
	const char *probe;
	const struct contract_probe *known; /* NULL: no contract has it */
	bool is_carried; /* it is known by what the stream carries alone: not how strings are passed
			  */
	uint16_t names;  /* its arguments that are names, as the stream has it */
	bool expected;
	uint64_t fired;
	uint64_t empty[CONTRACT_ARGUMENTS_MAX];
	uint64_t lines; /* that are 0 or negative */
};

struct live_run {
	const struct live_check *check;
	struct contract *own;      /* provider vm's */
	struct contract **carried; /* those that came with streams */
	size_t carried_count, carried_room;
	const struct contract *contract;
	const char *command;
	char folder[4096];
	struct tally *tallies;
	size_t tally_count, tally_room;
	/* the process at hand */
	char program[PROGRAM_BYTES];
	uint32_t pid;
	unsigned nesting_found;
};

static __attribute__((format(printf, 6, 7))) void report_finding(const struct live_run *live,
	const char *program, const char *kind, const char *provider, const char *probe,
	const char *format, ...)
{
	char text[TEXT_BYTES];
	const struct live_finding finding = {program, kind, provider, probe, text};
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	live->check->find(live->check->context, &finding);
}

/* ---- which probes ---- */

/* Providers of other runtimes are fired by provider vm's events. */
static bool is_compatible(const char *provider)
{
	struct contract *contract;

	if (!strcmp(provider, DESCRIBE_PROVIDER) || known_contract_read(provider, &contract, NULL))
		return false;
	contract_free(contract);
	return true;
}

static const struct contract_probe *find_known(
	const struct contract *contract, const char *provider, const char *probe)
{
	const struct contract_provider *known =
		contract ? contract_find_provider(contract, provider) : NULL;

	return known ? contract_find_probe(known, probe) : NULL;
}

/* The number of a probe's tally, made if there is none; -ENOMEM. */
static long tally_of(struct live_run *live, const char *provider, size_t length, const char *probe)
{
	const struct contract_probe *known;
	struct tally *tally;

	for (size_t i = 0; i < live->tally_count; i++)
		if (!strcmp(live->tallies[i].probe, probe) &&
			strlen(live->tallies[i].provider) == length &&
			!memcmp(live->tallies[i].provider, provider, length))
			return (long)i;
	if (array_room(&live->tallies, &live->tally_room, live->tally_count, sizeof(*tally)))
		return -ENOMEM;
	tally = &live->tallies[live->tally_count];
	*tally = (struct tally){.provider = malloc(length + strlen(probe) + 2)};
	if (!tally->provider)
		return -ENOMEM;
	memcpy(tally->provider, provider, length);
	tally->provider[length] = '\0';
	tally->probe = strcpy(tally->provider + length + 1, probe);
	known = find_known(live->contract, tally->provider, probe);
	tally->known = known ? known : find_known(live->own, tally->provider, probe);
	tally->expected = known || !live->check->contract;
	return (long)live->tally_count++;
}

/* Keeps the definitions of providers that a stream carries. -ENOMEM. */
static int take_carried(struct live_run *live, const struct source *source)
{
	for (size_t i = 0; i < source->carried_count; i++) {
		const struct d_carried *carried = &source->carried[i];
		struct contract *contract;
		struct error ignored;
		bool is_new = true;

		for (size_t j = 0; j < live->carried_count && is_new; j++)
			is_new = !contract_find_provider(live->carried[j], carried->name);
		if (!is_new ||
			contract_parse(
				carried->name, carried->text, carried->length, &contract, &ignored))
			continue;
		if (array_room(&live->carried, &live->carried_room, live->carried_count,
			    sizeof(*live->carried))) {
			contract_free(contract);
			return -ENOMEM;
		}
		live->carried[live->carried_count++] = contract;
	}
	return 0;
}

/* Finds in the streams' definitions what no contract says of a probe. */
static void find_carried(const struct live_run *live, struct tally *tally)
{
	for (size_t i = 0; i < live->carried_count && !tally->known; i++) {
		tally->known = find_known(live->carried[i], tally->provider, tally->probe);
		tally->is_carried = tally->known != NULL;
	}
}

static int expect_probes(struct live_run *live)
{
	for (size_t i = 0; i < live->contract->provider_count; i++) {
		const struct contract_provider *provider = &live->contract->providers[i];

		for (size_t j = 0; j < provider->probe_count; j++)
			if (tally_of(live, provider->name, strlen(provider->name),
				    provider->probes[j].name) < 0)
				return -ENOMEM;
	}
	return 0;
}

/* ---- the events of a process ---- */

static bool is_text(const struct event_batch *batch, uint64_t handle, const char *expected)
{
	uint32_t offset;
	const struct text *text = event_text(batch, handle, &offset);

	return text && !strcmp(text->bytes + offset, expected);
}

/* Whether the probe repeats what its beginning has said, so that its line may be 0. */
static bool is_end(const char *probe)
{
	size_t length = strlen(probe);

	return (length > 4 && !strcmp(probe + length - 4, "-end")) ||
		(length > 7 && !strcmp(probe + length - 7, "-return"));
}

static void take_event(
	struct tally *tally, const struct event_batch *batch, const struct event *event)
{
	const struct contract_probe *probe = tally->known;
	int line = -1, file = -1;

	tally->fired++;
	for (int i = 0; probe && i < probe->argument_count && i < event->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];

		if ((argument->string == CONTRACT_STRING_NAME || tally->names >> i & 1) &&
			is_text(batch, event->arguments[i], ""))
			tally->empty[i]++;
		if (!strcmp(argument->name, "file"))
			file = i;
		if (!strcmp(argument->name, "line"))
			line = i;
	}
	if (line >= 0 && !tally->is_carried && (int64_t)event->arguments[line] <= 0 &&
		!is_end(probe->name) &&
		(file < 0 || !is_text(batch, event->arguments[file], "(native)")))
		tally->lines++;
}

static void find_nesting(void *context, const char *text)
{
	struct live_run *live = context;

	if (live->nesting_found++ < NESTING_MAX)
		report_finding(live, live->program, "nesting", NULL, NULL,
			"process %" PRIu32 ": %s", live->pid, text);
}

/* What each probe of a process is: its tally, and its part in what begins and ends. */
struct watched {
	long tally;
	int nesting;
};

static int watch_probes(struct live_run *live, const struct d_probe_set *set,
	struct watched *watched, uint32_t *probes, size_t *count)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *probe = &set->probes[i];
		char provider[128];
		size_t length = strlen(probe->provider);

		if (probe->kind != D_PROBE_SOURCE || probe->is_absent)
			continue;
		while (length && isdigit((unsigned char)probe->provider[length - 1]))
			length--;
		snprintf(provider, sizeof(provider), "%.*s", (int)length, probe->provider);
		if (is_compatible(provider))
			continue;
		watched[i].tally = tally_of(live, provider, strlen(provider), probe->name);
		if (watched[i].tally < 0)
			return -ENOMEM;
		find_carried(live, &live->tallies[watched[i].tally]);
		live->tallies[watched[i].tally].names |= probe->names;
		watched[i].nesting = strcmp(provider, DESCRIBE_PROVIDER)
			? -1
			: log_nesting_role(probe->name, probe->argument_count, false);
		probes[(*count)++] = (uint32_t)i;
	}
	return 0;
}

static void take_batch(struct live_run *live, const struct event_batch *batch,
	const struct watched *watched, struct log_nesting *nesting, uint64_t *lost)
{
	for (size_t i = 0; i < batch->event_count; i++) {
		const struct event *event = &batch->events[i];
		const struct watched *how = &watched[event->probe];

		take_event(&live->tallies[how->tally], batch, event);
		if (how->nesting >= 0)
			log_nesting_event(nesting, how->nesting, batch, event);
	}
	for (size_t i = 0; i < batch->loss_count; i++)
		*lost += batch->losses[i].count;
	if (batch->loss_count)
		log_nesting_lost(nesting);
}

static void name_process(struct live_run *live, const struct source *source)
{
	const char *name = source->process.execname;

	live->pid = source->process.pid;
	live->nesting_found = 0;
	snprintf(live->program, sizeof(live->program), "%s", name && *name ? name : live->command);
}

/* Reads what one process has written. A status. */
static int read_process(struct live_run *live, const char *file)
{
	struct d_probe_set set = {0};
	struct source_request request = {0};
	struct source *source = NULL;
	struct watched *watched = NULL;
	uint32_t *probes = NULL;
	struct log_nesting *nesting = NULL;
	struct event_batch batch = {0};
	struct error error;
	enum source_state state;
	uint64_t lost = 0;
	size_t count = 0;
	int status = CLI_CANNOT;

	error_set(&error, ENOMEM, "out of memory");
	if (d_probe_set_init(&set) || source_log_open(file, &set, &source, &error))
		goto out;
	name_process(live, source);
	if (take_carried(live, source))
		goto out;
	probes = calloc(set.count, sizeof(*probes));
	watched = calloc(set.count, sizeof(*watched));
	nesting = log_nesting_new(source->start, find_nesting, live);
	if (!probes || !watched || !nesting || watch_probes(live, &set, watched, probes, &count) ||
		source_request_of_probes(&request, probes, count)) {
		error_set(&error, ENOMEM, "out of memory");
		goto out;
	}
	if (source_enable(source, &request, &error))
		goto out;
	while ((state = source_next(source, 0, &batch, &error)) == SOURCE_MORE)
		take_batch(live, &batch, watched, nesting, &lost);
	if (state == SOURCE_BROKEN && !source->truncated)
		goto out;
	if (state == SOURCE_BROKEN)
		cli_message("process %" PRIu32 " (%s) has not ended its stream: it was killed or "
			    "still runs, and what is open at its end is not looked at",
			live->pid, live->program);
	log_nesting_end(nesting, state == SOURCE_ENDED && !lost);
	if (live->nesting_found > NESTING_MAX)
		report_finding(live, live->program, "nesting", NULL, NULL,
			"process %" PRIu32 ": and %u more that do not nest", live->pid,
			live->nesting_found - NESTING_MAX);
	if (lost)
		report_finding(live, live->program, "lost", NULL, NULL,
			"process %" PRIu32 ": %" PRIu64
			" events were lost, so some findings may be missing",
			live->pid, lost);
	status = CLI_OK;
out:
	if (status != CLI_OK)
		cli_message("%s", error.text);
	source_close(source);
	source_request_free(&request);
	free(probes);
	free(watched);
	log_nesting_free(nesting);
	d_probe_set_free(&set);
	return status;
}

/* ---- the command ---- */

static volatile sig_atomic_t running;

static void pass_on(int number)
{
	if (running)
		kill((pid_t)running, number);
}

static int spawn(struct live_run *live, char *const *words, pid_t *child)
{
	extern char **environ;
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char log[2 * sizeof(live->folder) + 8];
	sigset_t reset;
	size_t used = 0;
	int error;

	for (const char *from = live->folder; *from; from++) {
		if (*from == '%')
			log[used++] = '%';
		log[used++] = *from;
	}
	strcpy(log + used, "/%p");
	if (setenv("VMTAP_LOG", log, 1) || unsetenv("VMTAP_WAIT"))
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	sigemptyset(&reset);
	sigaddset(&reset, SIGINT);
	sigaddset(&reset, SIGQUIT);
	posix_spawnattr_setsigdefault(&attributes, &reset);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	/* Our standard output has the findings alone. */
	error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	if (!error)
		error = posix_spawnp(child, words[0], &actions, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	unsetenv("VMTAP_LOG");
	return -error;
}

/* The terminal's signals end the command, and then we look at what it has done. */
static int run_command(struct live_run *live, char *const *words)
{
	static const int ignored[] = {SIGINT, SIGQUIT}, passed[] = {SIGTERM, SIGHUP};
	pid_t child = 0;
	int error, status = 0;

	for (size_t i = 0; i < 2; i++) {
		struct sigaction ignore = {.sa_handler = SIG_IGN}, pass = {.sa_handler = pass_on};

		sigaction(ignored[i], &ignore, NULL);
		sigaction(passed[i], &pass, NULL);
	}
	error = spawn(live, words, &child);
	if (error) {
		cli_message("%s: %s", words[0], strerror(-error));
		return CLI_CANNOT;
	}
	running = child;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	running = 0;
	if (WIFSIGNALED(status))
		report_finding(live, live->command, "killed", NULL, NULL,
			"was killed by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status))
		cli_message("%s has ended with status %d", live->command, WEXITSTATUS(status));
	return CLI_OK;
}

static int is_log(const struct dirent *entry)
{
	return isdigit((unsigned char)entry->d_name[0]);
}

static int read_logs(struct live_run *live)
{
	struct dirent **entries = NULL;
	int count = scandir(live->folder, &entries, is_log, alphasort), status = CLI_OK;

	if (count < 0) {
		cli_message("%s: %s", live->folder, strerror(errno));
		return CLI_CANNOT;
	}
	if (!count) {
		cli_message("%s: no process has served its events: does the VM call "
			    "vmtap_start()?",
			live->command);
		status = CLI_CANNOT;
	}
	for (int i = 0; i < count; i++) {
		struct stat information;
		char file[sizeof(live->folder) + sizeof(entries[i]->d_name) + 1];

		snprintf(file, sizeof(file), "%s/%s", live->folder, entries[i]->d_name);
		if (!stat(file, &information) && !information.st_size)
			cli_message("process %s has ended before it had written any event",
				entries[i]->d_name);
		else if (read_process(live, file) != CLI_OK)
			status = CLI_CANNOT;
		unlink(file);
		free(entries[i]);
	}
	free(entries);
	return status;
}

/* ---- findings about probes ---- */

static bool is_meant(const struct verify_allowed *allowed, const struct tally *tally)
{
	return !strcmp(allowed->probe, tally->probe) &&
		(!allowed->provider || !strcmp(allowed->provider, tally->provider));
}

static bool is_allowed(const struct live_check *check, const struct tally *tally)
{
	for (size_t i = 0; i < check->allowed_count; i++)
		if (is_meant(&check->allowed[i], tally))
			return true;
	return false;
}

static void find_of_probe(const struct live_run *live, const struct tally *tally)
{
	bool allowed = is_allowed(live->check, tally);

	if (!tally->fired && tally->expected && !allowed)
		report_finding(live, live->command, "never-fired", tally->provider, tally->probe,
			"never fired");
	if (tally->fired && allowed)
		report_finding(live, live->command, "allowed-missing", tally->provider,
			tally->probe, "fired, but --allow-missing lists it");
	for (int i = 0; tally->known && i < tally->known->argument_count; i++)
		if (tally->empty[i])
			report_finding(live, live->command, "name", tally->provider, tally->probe,
				"argument %d: %s is empty in %" PRIu64 " of %" PRIu64 " events",
				i + 1, tally->known->arguments[i].name, tally->empty[i],
				tally->fired);
	if (tally->lines)
		report_finding(live, live->command, "line", tally->provider, tally->probe,
			"line is 0 in %" PRIu64 " of %" PRIu64
			" events, although the file is not \"(native)\"",
			tally->lines, tally->fired);
}

static bool is_known(const struct live_run *live, const struct verify_allowed *allowed)
{
	for (size_t i = 0; i < live->tally_count; i++)
		if (is_meant(allowed, &live->tallies[i]))
			return true;
	return false;
}

int check_live(const struct live_check *check, char *const *words)
{
	struct live_run live = {.check = check, .command = words[0]};
	const char *base = getenv("TMPDIR");
	struct error error;
	int status = CLI_CANNOT;

	if (known_contract_read(DESCRIBE_PROVIDER, &live.own, &error)) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	live.contract = check->contract ? check->contract : live.own;
	snprintf(live.folder, sizeof(live.folder), "%s/vmtap-check-XXXXXX",
		base && *base ? base : "/tmp");
	if (!mkdtemp(live.folder)) {
		cli_message("%s: %s", live.folder, strerror(errno));
		goto out;
	}
	if (expect_probes(&live))
		cli_message("out of memory");
	else
		status = run_command(&live, words);
	if (status == CLI_OK)
		status = read_logs(&live);
	rmdir(live.folder);
	for (size_t i = 0; status == CLI_OK && i < live.tally_count; i++)
		find_of_probe(&live, &live.tallies[i]);
	for (size_t i = 0; status == CLI_OK && i < check->allowed_count; i++)
		if (!is_known(&live, &check->allowed[i]))
			report_finding(&live, live.command, "allowed-missing", NULL, NULL,
				"--allow-missing lists %s, and there is no such probe",
				check->allowed[i].probe);
out:
	for (size_t i = 0; i < live.tally_count; i++)
		free(live.tallies[i].provider);
	free(live.tallies);
	for (size_t i = 0; i < live.carried_count; i++)
		contract_free(live.carried[i]);
	free(live.carried);
	contract_free(live.own);
	return status;
}
