/*
 * record.c: `vmtap record`: the event stream of a process or a command to a file. Events are
 * passed on as they come (source/recording.h): what a stream carries is what the file has.
 *
 * Once there is a file, signals are blocked and read from a descriptor. On the first signal, vmtap
 * asks the process to end its stream and saves what it had already sent; on a second one that is
 * not sent along with it, vmtap stops at once. In both cases the file is ended properly. Before
 * there is a file, a signal ends vmtap, whatever it is waiting for.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/interrupts.h"
#include "cli/process_script.h"
#include "cli/record/record_display.h"
#include "cli/record/record_kernel.h"
#include "cli/record/record_options.h"
#include "cli/record/record_probes.h"
#include "cli/target_options.h"
#include "contract/contract.h"
#include "contract/known.h"
#include "d/compile.h"
#include "program/program.h"
#include "source/eventlog/eventlog.h"
#include "source/recording.h"
#include "targets/target_bytes.h"
#include "targets/target_streams.h"
#include "usdt/process/process_info.h"
#include "wire/describe.h"
#include "wire/loss.h"
#include "wire/wire.h"

enum {
	SHOWN_MAX = 200,  /* bytes of a command in a message */
	FINISH_MS = 2000, /* how long the target may take to finish its stream */
	LOOK_MS = 1000,
	WAIT_MS = 60000 /* longest single wait */
};

struct session {
	const struct record_options *options;
	struct target_bytes *bytes;
	struct recording *recording;
	sigset_t signal_set, unblocked; /* those that end the file; the mask of before */
	struct interrupts interrupts;
	struct record_display display;
	int64_t left;     /* of the time of --seconds when the stream has been opened, ms */
	int64_t end;      /* when the recording is to end, ms; 0: never */
	int64_t looked;   /* when it last searched for further runtimes */
	bool has_further; /* it has been said that there are some */
};

/* ---- which probes ---- */

/* Returns whether -n has more than descriptions of probes, and, by the kernel, predicates, after a
 * message. */
static bool refuse_clauses(const struct record_options *options, bool is_kernel)
{
	for (size_t i = 0; i < options->probe_count; i++)
		if (is_kernel ? !record_probes_accept(options->probes[i])
			      : strpbrk(options->probes[i], "/{;") != NULL) {
			cli_message("-n '%s': only a probe description, %s", options->probes[i],
				is_kernel ? "perhaps with a predicate, and no action"
					  : "without predicate or action");
			return true;
		}
	return false;
}

/* The event types of the probes that the descriptions match. A status. */
static int match_probes(const struct session *session, struct d_probe_set *set, bool *wanted)
{
	const struct record_options *options = session->options;
	const struct d_compile_settings settings = {
		.target = (pid_t)target_bytes_process(session->bytes)->pid, .name = "vmtap"};
	struct d_compiler *compiler = NULL;
	struct d_program *program = NULL;
	struct d_error error;
	int status = CLI_FOUND;

	if (refuse_clauses(options, false))
		return CLI_FOUND;
	if (d_compiler_new(&settings, &compiler)) {
		cli_message("out of memory");
		return CLI_CANNOT;
	}
	if (d_compiler_set_probes(compiler, set, &error)) {
		cli_message("%s", error.message.text);
		goto out;
	}
	for (size_t i = 0; i < options->probe_count; i++) {
		const char *text = options->probes[i];
		if (d_parse_script(compiler, NULL, text, strlen(text), &error)) {
			cli_message("-n '%s': %s", text, error.message.text);
			goto out;
		}
	}
	program = d_compiler_finish(compiler);
	compiler = NULL;
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		for (size_t j = 0; j < clause->probe_count; j++) {
			const struct d_probe *probe = &set->probes[clause->probes[j]];
			if (probe->kind != D_PROBE_SOURCE) {
				cli_message("%s:::%s cannot be recorded: it is no event of the VM",
					probe->provider, probe->name);
				goto out;
			}
			wanted[clause->probes[j]] = true;
		}
	}
	status = CLI_OK;
out:
	d_compiler_free(compiler);
	d_program_free(program);
	return status;
}

/* Adds the probes that the stream declares. They are read by the usual reader of headers. */
static int declared_probes(const struct session *session, struct d_probe_set *set)
{
	const struct eventlog_settings settings = {.what = "the event stream", .file = -1};
	struct eventlog *log;
	size_t size, room, done = 0;
	const unsigned char *header = recording_header(session->recording, &size);
	void *place;
	int result = eventlog_open(&settings, &log);

	if (result)
		return result;
	while (done < size && (place = eventlog_room(log, &room))) {
		room = room < size - done ? room : size - done;
		memcpy(place, header + done, room);
		eventlog_received(log, room);
		done += room;
		eventlog_scan(log);
	}
	if (eventlog_declared(log))
		result = eventlog_add_probes(log, target_bytes_process(session->bytes)->pid,
			target_bytes_process(session->bytes)->program, set);
	else
		result = -EPROTO;
	eventlog_free(log);
	return result;
}

/* Whether a probe is provider vm's, as that of some process. */
static bool is_of_vm(const struct d_probe *probe)
{
	size_t length = strlen(DESCRIBE_PROVIDER);

	return !strncmp(probe->provider, DESCRIBE_PROVIDER, length) &&
		!probe->provider[length + strspn(probe->provider + length, "0123456789")];
}

/* Whether one of these types, which may be a probe's own, is an event of GHC's as well. */
static int has_ghc_form(const struct d_probe_set *set, const uint16_t *types, size_t count,
	bool *has, struct error *error)
{
	struct contract *contract;
	const struct contract_provider *provider;
	int result = known_contract_read(DESCRIBE_PROVIDER, &contract, error);

	if (result)
		return result;
	provider = contract_find_provider(contract, DESCRIBE_PROVIDER);
	*has = false;
	for (size_t i = 0; i < count && !*has; i++) {
		*has = wire_is_ghc(types[i]);
		for (size_t j = 0; j < set->count && !*has; j++) {
			const struct contract_probe *probe;
			/* of the probes of one type, the event's own is the first */
			if (set->probes[j].kind != D_PROBE_SOURCE ||
				set->probes[j].source_tag != types[i])
				continue;
			probe = is_of_vm(&set->probes[j])
				? contract_find_probe(provider, set->probes[j].name)
				: NULL;
			*has = probe && probe->eventlog_count;
			break;
		}
	}
	contract_free(contract);
	return 0;
}

/* The event types of what was asked for, or of everything. A status. */
static int choose_types(struct session *session, uint16_t **chosen, size_t *chosen_count)
{
	const struct record_options *options = session->options;
	struct d_probe_set set = {0};
	bool *wanted = NULL;
	uint16_t *types = NULL;
	struct error error = {""};
	bool has_form;
	size_t count = 0;
	int status = CLI_CANNOT, result = d_probe_set_init(&set);

	if (!result)
		result = declared_probes(session, &set);
	if (!result) {
		wanted = calloc(set.count, sizeof(*wanted));
		types = calloc(set.count + 1, sizeof(*types));
		if (!wanted || !types)
			result = -ENOMEM;
	}
	if (result) {
		cli_message("process %" PRIu32 " (%s): %s",
			target_bytes_process(session->bytes)->pid,
			target_bytes_process(session->bytes)->name,
			result == -EPROTO ? "the event stream's header is damaged"
					  : strerror(-result));
		goto out;
	}
	if (options->heap_period &&
		!recording_declares(session->recording, WIRE_HEAP_PROF_SAMPLE_BEGIN)) {
		cli_message("process %" PRIu32 " (%s) has no samples of its heap to give",
			target_bytes_process(session->bytes)->pid,
			target_bytes_process(session->bytes)->name);
		goto out;
	}
	if (options->probe_count) {
		status = match_probes(session, &set, wanted);
		if (status)
			goto out;
	}
	for (size_t i = 0; i < set.count; i++) {
		bool known = false;
		if (set.probes[i].kind != D_PROBE_SOURCE || (options->probe_count && !wanted[i]))
			continue;
		/* one event type may be several probes */
		for (size_t j = 0; j < count && !known; j++)
			known = types[j] == set.probes[i].source_tag;
		if (!known)
			types[count++] = (uint16_t)set.probes[i].source_tag;
	}
	if (options->heap_period)
		types[count++] = WIRE_HEAP_PROF_SAMPLE_BEGIN;
	if (options->recording.ghc_only && options->probe_count) {
		result = has_ghc_form(&set, types, count, &has_form, &error);
		if (result)
			cli_message("%s", error.text);
		else if (!has_form)
			cli_message(
				"none of the probes of -n is an event of GHC's: with --ghc-only "
				"nothing would be recorded");
		status = result ? CLI_CANNOT : CLI_FOUND;
		if (result || !has_form)
			goto out;
	}
	*chosen = types;
	*chosen_count = count;
	types = NULL;
	status = CLI_OK;
out:
	free(types);
	free(wanted);
	d_probe_set_free(&set);
	return status;
}

/* The name of the probe that an event type carries, "vm:::gc-start"; NULL: it is an event of GHC's
 * or a sample. */
static char *probe_name(const struct session *session, uint16_t type)
{
	const char *text = recording_type_text(session->recording, type);
	size_t length = strcspn(text, "("), provider = strcspn(text, ": ");

	if (provider >= length || strncmp(text + provider, ":::", 3) != 0)
		return NULL;
	return strndup(text, length);
}

static void ask_samples(struct session *session)
{
	unsigned char frame[WIRE_SAMPLING_BYTES] = WIRE_SAMPLING;

	frame[5] = session->options->is_elapsed ? WIRE_SAMPLING_ELAPSED : WIRE_SAMPLING_TIME;
	bytes_put(frame + 6, session->options->sample_period, 8);
	target_bytes_send(session->bytes, frame, sizeof(frame));
}

/* That the process has gone meanwhile shows when it is read from, in order. Probes are asked for by
 * name, so that versions and probes of objects that are loaded later are recorded too. */
static int subscribe(struct session *session, const uint16_t *types, size_t count)
{
	const struct record_options *options = session->options;
	unsigned char frame[WIRE_HEAP_PERIOD_BYTES] = WIRE_HEAP_PERIOD;
	struct target_bytes_wish *wishes = calloc(count + 1, sizeof(*wishes));
	size_t wish_count = 0;
	int result;

	if (!wishes)
		return -ENOMEM;
	if (!options->probe_count)
		wishes[wish_count++].name = "*";
	for (size_t i = 0; i < count; i++) {
		char *name = probe_name(session, types[i]);
		if (name && !options->probe_count)
			free(name);
		else
			wishes[wish_count++] =
				(struct target_bytes_wish){.name = name, .type = types[i]};
	}
	result = target_bytes_request(session->bytes, wishes, wish_count,
		(options->lossless ? WIRE_LOSSLESS : 0) |
			(options->cpu_clock ? WIRE_CPU_CLOCK : 0) |
			(options->stacks ? WIRE_STACKS : 0) |
			(options->recording.ghc_only ? WIRE_GHC_ONLY : WIRE_GHC));
	for (size_t i = options->probe_count ? 0 : 1; i < wish_count; i++)
		free((char *)wishes[i].name);
	free(wishes);
	if (result == -ENOMEM || result == -E2BIG)
		return result;
	if (options->sample_period)
		ask_samples(session);
	if (!options->heap_period)
		return 0;
	frame[4] = 0;
	bytes_put(frame + 5, options->heap_period, 8);
	target_bytes_send(session->bytes, frame, sizeof(frame));
	return 0;
}

/* ---- recording ---- */

static void take_signals(struct session *session)
{
	bool before = session->interrupts.count;

	interrupts_take(&session->interrupts);
	/* the end that was asked for on the command line is like a signal */
	if (!before && session->end && record_display_now() >= session->end)
		interrupts_add(&session->interrupts);
	/* the stream's end, and what comes until then, is waited for a while */
	if (session->interrupts.count && !before)
		target_bytes_finish(session->bytes);
}

enum receipt { RECEIPT_MORE, RECEIPT_IDLE, RECEIPT_FULL, RECEIPT_ENDED, RECEIPT_CLOSED };

static int receipt_of(int state)
{
	return state == RECORDING_FULL     ? RECEIPT_FULL
		: state == RECORDING_ENDED ? RECEIPT_ENDED
		: state < 0                ? state
					   : RECEIPT_MORE;
}

/* Receives once. A receipt, or a negative errno and a line in error. */
static int receive(struct session *session, struct error *error)
{
	size_t room;
	void *place = recording_room(session->recording, &room);
	ssize_t got = target_bytes_receive(session->bytes, place, room, 0);

	if (got == -EAGAIN)
		return RECEIPT_IDLE;
	if (got <= 0)
		return RECEIPT_CLOSED;
	return receipt_of(recording_received(session->recording, (size_t)got, error));
}

static void wait_for_more(struct session *session, int64_t limit)
{
	struct pollfd waits[] = {
		{.fd = interrupts_descriptor(&session->interrupts), .events = POLLIN},
		{.fd = target_bytes_descriptor(session->bytes), .events = POLLIN}};
	int64_t now = record_display_now(), left = WAIT_MS;
	int due = recording_due(session->recording);

	if (due >= 0 && due < left)
		left = due;
	int64_t shown = record_display_due(&session->display);
	if (shown >= 0 && shown < left)
		left = shown;
	if (session->end && session->end - now < left)
		left = session->end - now;
	if (limit && limit - now < left)
		left = limit - now;
	poll(waits, 2, left > 0 ? (int)left : 0);
}

/*
 * Says once that the process has further runtimes, each of which serves a stream of its own: a
 * recording is that of one stream. They may start at any time, so this looks once a second.
 */
static void look_for_further(struct session *session)
{
	const struct process_info *process = target_bytes_process(session->bytes);
	char own[TARGET_BYTES_PATH_MAX], other[TARGET_BYTES_PATH_MAX];
	int64_t now = record_display_now();

	if (session->has_further || (session->looked && now - session->looked < LOOK_MS))
		return;
	session->looked = now;
	if (!target_bytes_has_further(session->bytes, own, other))
		return;
	session->has_further = true;
	cli_message("process %" PRIu32 " (%s) contains several runtimes: the one at '%s' is "
		    "recorded; another one, such as the one at '%s', can be given with --socket",
		process->pid, process->name, own, other);
}

/* Until the stream's header has come. */
static int receive_header(struct session *session, struct error *error)
{
	const struct process_info *process = target_bytes_process(session->bytes);
	int64_t limit = record_display_now() + TARGET_BYTES_ANSWER_MS;
	size_t size;
	int receipt;

	while (!recording_header(session->recording, &size)) {
		receipt = receive(session, error);
		if (receipt < 0)
			return receipt;
		if (receipt == RECEIPT_CLOSED)
			return error_set(error, ECONNRESET,
				"process %" PRIu32
				" (%s) ended, or closed its event stream, before "
				"it declared its events",
				process->pid, process->name);
		if (receipt == RECEIPT_IDLE &&
			target_bytes_is_stopped(
				session->bytes, limit - TARGET_BYTES_ANSWER_MS, error))
			return -ETIMEDOUT;
		if (receipt == RECEIPT_IDLE && record_display_now() >= limit)
			return error_set(error, ETIMEDOUT,
				"process %" PRIu32 " (%s) has not declared its events within %d "
				"seconds: it may be stopped",
				process->pid, process->name, TARGET_BYTES_ANSWER_MS / 1000);
		if (receipt == RECEIPT_IDLE)
			wait_for_more(session, record_display_now() + TARGET_BYTES_STOPPED_MS);
	}
	return 0;
}

/* Receives until the stream or the recording ends. Returns a receipt, or a negative errno and a
 * line in error. */
static int receive_events(struct session *session, struct error *error)
{
	int64_t limit = 0;
	int receipt, result;

	/* what has come after the header */
	receipt = receipt_of(recording_received(session->recording, 0, error));
	while (receipt == RECEIPT_MORE || receipt == RECEIPT_IDLE) {
		look_for_further(session);
		take_signals(session);
		if (session->interrupts.count > 1)
			return RECEIPT_ENDED;
		if (session->interrupts.count && !limit)
			limit = record_display_now() + FINISH_MS;
		receipt = receive(session, error);
		record_display_show(&session->display, recording_counts(session->recording), false);
		if (receipt < 0 || receipt > RECEIPT_IDLE)
			break;
		if (limit && record_display_now() >= limit)
			return RECEIPT_ENDED;
		if (receipt == RECEIPT_MORE)
			continue;
		result = recording_flush(session->recording, error);
		if (result)
			return result;
		wait_for_more(session, limit);
	}
	/* ^C on a terminal is a command's as well: that it has gone then is the end asked for */
	if (receipt == RECEIPT_CLOSED) {
		take_signals(session);
		if (session->interrupts.count)
			return RECEIPT_ENDED;
	}
	return receipt;
}

/* Returns an error if the VM has refused this client: it has ended the stream, with the reason,
 * before it answered. A subscription to GHC's events alone has no answer, so only the reason is
 * told then. */
static int check_refused(const struct session *session, int receipt, struct error *error)
{
	const struct recording_counts *counts = recording_counts(session->recording);
	const struct process_info *process = target_bytes_process(session->bytes);

	if (receipt < 0 || counts->is_answered || !*counts->message || session->interrupts.count)
		return 0;
	if (session->options->recording.ghc_only) {
		cli_message("process %" PRIu32 " (%s): %s", process->pid, process->name,
			counts->message);
		return 0;
	}
	return error_set(error, ECONNRESET,
		"process %" PRIu32 " (%s) ended, or closed its event stream, before it opened its "
		"probes: %s",
		process->pid, process->name, counts->message);
}

static int record(struct session *session)
{
	const struct record_options *options = session->options;
	const struct process_info *process = target_bytes_process(session->bytes);
	struct error error = {""}, closing = {""};
	struct recording_counts counts;
	uint16_t *types = NULL;
	size_t type_count = 0;
	int receipt = RECEIPT_CLOSED, result, status = CLI_OK;

	result = recording_new(&options->recording, &session->recording, &error);
	if (!result)
		result = receive_header(session, &error);
	if (!result)
		status = choose_types(session, &types, &type_count);
	if (!result && !status)
		result = recording_open(session->recording, &error);
	if (!result && !status) {
		sigprocmask(SIG_BLOCK, &session->signal_set, &session->unblocked);
		record_display_begin(&session->display);
		if (options->seconds)
			session->end = session->display.begun + session->left;
		result = interrupts_open(&session->interrupts, &session->signal_set);
		if (!result)
			result = subscribe(session, types, type_count);
		if (result == -EPIPE) /* what the VM has sent before says why */
			result = 0;
		if (result)
			error_set(&error, -result, "process %" PRIu32 " (%s): %s", process->pid,
				process->name, strerror(-result));
		receipt = result ? result : receive_events(session, &error);
		result = receipt < 0 ? receipt : check_refused(session, receipt, &error);
	}
	free(types);
	if (!session->recording)
		goto out;
	counts = *recording_counts(session->recording);
	record_display_show(&session->display, &counts, true);
	if (recording_close(session->recording, !result && !status && receipt != RECEIPT_CLOSED,
		    &closing) &&
		!result) {
		result = -EIO;
		error = closing;
	}
	if (result || status)
		goto out;
	if (receipt == RECEIPT_CLOSED)
		cli_message("process %" PRIu32 " (%s) ended without closing its event stream: '%s' "
			    "ends after its last whole event",
			process->pid, process->name, options->recording.file);
	else if (receipt == RECEIPT_FULL)
		cli_message("'%s' has reached its largest size: the recording is ended",
			options->recording.file);
	if (options->heap_period && !counts.samples)
		cli_message("process %" PRIu32 " (%s) has given no samples of its heap",
			process->pid, process->name);
	if (counts.is_lossy && options->lossless) {
		cli_message("process %" PRIu32
			    " (%s) lets no client make it wait: the recording is not "
			    "lossless",
			process->pid, process->name);
		status = CLI_FOUND;
	}
	if (counts.lost && options->lossless) {
		cli_message("%" PRIu64 " events were lost although --lossless asked for all: %s",
			counts.lost, loss_reason_text(counts.loss_reasons));
		status = CLI_FOUND;
	} else if (counts.lost && !loss_can_wait(counts.loss_reasons)) {
		cli_message("%" PRIu64 " events were lost: %s", counts.lost,
			loss_reason_text(counts.loss_reasons));
	} else if (counts.lost) {
		cli_message("%" PRIu64
			    " events were lost: the VM was faster than the recording; with "
			    "--lossless it waits, --samples and -n record less",
			counts.lost);
	}
out:
	if (result == -EPROTO)
		cli_message("process %" PRIu32 " (%s): event stream: %s", process->pid,
			process->name, error.text);
	else if (result)
		cli_message("%s", error.text);
	return result ? CLI_CANNOT : status;
}

/* Says which option only a VM's stream can meet. */
static int refuse_options(const struct record_options *options)
{
	const char *option = options->recording.ghc_only ? "--ghc-only"
		: options->heap_period                   ? "--heap-profile"
		: options->cpu_clock                     ? "--cpu-clock"
		: options->lossless                      ? "--lossless"
							 : "--wall";

	return cli_usage("record",
		"%s is for a VM that serves an event stream; of another process the kernel's "
		"samples are recorded",
		option);
}

/* Refuses several VMs, with the command that records all of them by samples. */
static int refuse_several(const struct record_options *options)
{
	char pids[SHOWN_MAX] = "";
	size_t used = 0;

	for (size_t i = 0; i < options->spec.count && used < sizeof(pids); i++)
		if (options->spec.items[i].kind == TARGET_PID)
			used += (size_t)snprintf(pids + used, sizeof(pids) - used, " -p %" PRIu32,
				options->spec.items[i].pid);
	return cli_usage("record",
		"a log is of one event stream: record one VM at a time, without --follow, or all "
		"by the kernel's samples: 'vmtap record --via=kernel%s%s -o %s'",
		options->spec.follows ? " --follow" : "", *pids ? pids : " -c COMMAND",
		options->recording.file);
}

/* Returns whether -n names probes of provider vm. */
static bool names_vm(const struct record_options *options)
{
	for (size_t i = 0; i < options->probe_count; i++)
		if (options->probes[i] != record_options_sample &&
			!strncmp(options->probes[i], DESCRIBE_PROVIDER, strlen(DESCRIBE_PROVIDER)))
			return true;
	return false;
}

/* Decides whether the kernel delivers the events, because the target serves no stream. */
static int choose_way(struct record_options *options, bool *is_kernel)
{
	enum target_streams streams;
	struct error error;

	if (target_streams_look(&options->spec, &streams, &error)) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	/* a command of unknown kind may start a VM: if only a VM can do what is asked, wait for it
	 */
	*is_kernel = streams == TARGET_STREAMS_NONE || streams == TARGET_STREAMS_SOME ||
		(streams == TARGET_STREAMS_UNKNOWN && !options->is_of_stream && !names_vm(options));
	if (*is_kernel && options->is_of_stream)
		return refuse_options(options);
	if (*is_kernel && refuse_clauses(options, true))
		return CLI_FOUND;
	if (streams == TARGET_STREAMS_SOME)
		process_script_tell_mixed(&options->spec);
	if (!*is_kernel && (options->spec.count > 1 || options->spec.follows))
		return refuse_several(options);
	return CLI_OK;
}

/* Opens the stream. Waiting for it is part of the time of --seconds. */
static int open_stream(struct session *session, struct error *error)
{
	const struct record_options *options = session->options;
	const int64_t begun = record_display_now(), time = (int64_t)options->seconds * 1000;
	const struct target_bytes_patience patience = {
		.until = time ? ((uint64_t)begun + (uint64_t)time) * CLOCK_NS_PER_MS : 0,
		.waiting = target_options_waiting};
	int result = target_bytes_open(&options->spec, &patience, &session->bytes, error);
	const int64_t left = begun + time - record_display_now();

	session->left = left > 0 ? left : 1;
	return result;
}

int command_record(int argc, char **argv)
{
	struct record_options options = {0};
	struct session session = {.options = &options};
	struct error error = {""};
	struct sigaction hangup;
	bool is_kernel = false;
	int status = record_options_parse(&options, argc, argv);

	if (status || options.helped)
		goto out;
	/* a reader of our output that goes away, or a limit on files' sizes, is an error like
	 * others */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&session.signal_set);
	sigaddset(&session.signal_set, SIGINT);
	sigaddset(&session.signal_set, SIGTERM);
	/* under nohup the end of the terminal is not that of the recording */
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&session.signal_set, SIGHUP);
	sigprocmask(SIG_BLOCK, NULL, &session.unblocked);
	status = choose_way(&options, &is_kernel);
	if (status || is_kernel) {
		if (!status)
			status = record_kernel(&options);
		goto out;
	}
	session.display = (struct record_display){.is_terminal = isatty(STDERR_FILENO),
		.is_compressed = options.recording.compression,
		.may_advise = !options.probe_count};
	if (open_stream(&session, &error)) {
		cli_message("%s", error.text);
		status = CLI_CANNOT;
	} else {
		status = record(&session);
	}
	target_bytes_close(session.bytes);
	interrupts_close(&session.interrupts);
	sigprocmask(SIG_SETMASK, &session.unblocked, NULL);
out:
	record_options_free(&options);
	return status;
}
