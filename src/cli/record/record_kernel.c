/*
 * record_kernel.c: see record_kernel.h. It is a trace of a script that prints each sample
 * (process_script.h), with a writer that turns what is printed into events of a log
 * (source/log_writer.h). The functions are named at once, since the process may have ended when
 * the log is read.
 */
#include "cli/record/record_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash_table.h"
#include "cli/cli.h"
#include "cli/jvm_map.h"
#include "cli/process_script.h"
#include "cli/record/record_display.h"
#include "cli/record/record_options.h"
#include "cli/record/record_probes.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_options.h"
#include "engine/output/derived_writer.h"
#include "engine/output/place_text.h"
#include "engine/store/value.h"
#include "source/log_writer.h"
#include "source/recording.h"
#include "usdt/process/process_info.h"

enum {
	NAME_BYTES = 64,
	ARGUMENT_BYTES = 4096,
	ASK_S = 5 /* between two requests for the names of a JVM's functions */
};

/* A process under one of its names. */
struct recorded_process {
	uint32_t pid;
	uint16_t cap;
	char name[NAME_BYTES];
};

struct recorded_thread {
	uint32_t pid, tid;
};

struct record_writer {
	struct derived_writer derived; /* derived.text.writer is for struct trace */
	const struct target_spec *spec;
	struct recording *recording;
	struct log_writer *log;
	struct record_probes *probes; /* of -n; NULL: only samples are recorded */
	const struct d_probe *probe;  /* whose clause is being printed */
	uint64_t events;              /* of these probes */
	struct record_display display;
	struct recorded_process *processes;
	size_t process_count, process_capacity, latest;
	struct recorded_thread *threads; /* whose names the log has */
	size_t thread_count, thread_capacity;
	struct hash_table thread_table;
	uint64_t samples, lost;
	uint64_t left_out;  /* samples of too many processes */
	uint64_t checked;   /* up to when nothing was lost, CLOCK_MONOTONIC */
	uint64_t asked;     /* when the names of a JVM's functions were asked for */
	bool has_unnamed;   /* since then */
	bool is_full;       /* the file has its largest size */
	bool has_failed;    /* see error */
	struct error error; /* the file cannot be written, or out of memory */
};

static struct record_writer *record_of(struct writer *writer)
{
	return (struct record_writer *)((char *)writer -
		offsetof(struct record_writer, derived.text.writer));
}

/* Ends the trace in order, as ^C does. */
static void end_trace(void)
{
	kill(getpid(), SIGINT);
}

/* Gives the recording what there is. */
static void hand_over(struct record_writer *record, bool may_end)
{
	int state;

	if (!record->log || record->has_failed || record->is_full)
		return;
	if (record->probes)
		record_probes_end(record->probes, record->log);
	state = log_writer_flush(record->log, &record->error);
	record->has_failed = state < 0;
	record->is_full = state == RECORDING_FULL;
	if (may_end && (record->has_failed || record->is_full))
		end_trace();
}

/* ---- processes and threads ---- */

/* Reads the words of a process's command line, each with its NUL. Returns their bytes. */
static size_t read_words(uint32_t pid, char *words, size_t size)
{
	char path[64];
	ssize_t got;
	int file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cmdline", pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	got = read(file, words, size);
	close(file);
	return got > 0 ? (size_t)got : 0;
}

/* The capability of a process in the log; negative: it has no room. line: its command line, if it
 * has ended. */
static int cap_of(struct record_writer *record, uint32_t pid, uint32_t ppid, const char *name,
	const struct text *line)
{
	struct recorded_process *process;
	char words[ARGUMENT_BYTES];
	size_t length;
	int cap;

	if (record->latest < record->process_count) {
		process = &record->processes[record->latest];
		if (process->pid == pid && !strcmp(process->name, name))
			return process->cap;
	}
	for (size_t i = record->process_count; i--;) {
		process = &record->processes[i];
		if (process->pid != pid || strcmp(process->name, name) != 0)
			continue;
		record->latest = i;
		return process->cap;
	}
	length = read_words(pid, words, sizeof(words));
	if (!length && line)
		length = (size_t)snprintf(words, sizeof(words), "%.*s",
				 (int)(line->length < sizeof(words) ? line->length
								    : sizeof(words) - 1),
				 line->bytes) +
			1;
	cap = log_writer_process(record->log, pid, ppid, name, words, length);
	if (cap < 0 ||
		array_room(&record->processes, &record->process_capacity, record->process_count,
			sizeof(*process)))
		return cap < 0 ? cap : -ENOMEM;
	record->latest = record->process_count++;
	process = &record->processes[record->latest];
	*process = (struct recorded_process){.pid = pid, .cap = (uint16_t)cap};
	snprintf(process->name, sizeof(process->name), "%s", name);
	return cap;
}

static bool is_thread(const void *threads, uint32_t index, const void *key)
{
	const struct recorded_thread *thread = &((const struct recorded_thread *)threads)[index];
	const struct recorded_thread *wanted = key;

	return thread->pid == wanted->pid && thread->tid == wanted->tid;
}

/* Writes the name of a thread at its first sample. */
static void note_thread(
	struct record_writer *record, uint32_t pid, const struct log_writer_event *event)
{
	const struct recorded_thread thread = {pid, event->tid};
	const uint32_t hash = hash_table_number((uint64_t)pid << 32 | event->tid);
	char path[96], name[NAME_BYTES] = "";
	FILE *file;

	if (hash_table_find(&record->thread_table, hash, is_thread, record->threads, &thread) !=
		HASH_TABLE_NONE)
		return;
	if (array_room(&record->threads, &record->thread_capacity, record->thread_count,
		    sizeof(thread)) ||
		hash_table_add(&record->thread_table, hash, (uint32_t)record->thread_count))
		return; /* it only lacks its name */
	record->threads[record->thread_count++] = thread;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", pid, event->tid);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file)) {
		name[strcspn(name, "\n")] = '\0';
		log_writer_thread(record->log, event, name);
	}
	if (file)
		fclose(file);
}

/* ---- samples ---- */

/* Adds the frames of a stack. Returns their number. */
static uint32_t add_frames(struct record_writer *record, const struct text *stack)
{
	char name[PLACE_TEXT_MAX], place[PLACE_TEXT_MAX];
	uint64_t at = 0, before = 0, same = 0;
	uint32_t count = 0;

	if (!stack)
		return 0;
	while (place_frame_name(
		record->derived.text.context.places, D_VALUE_STACK, stack, &at, name)) {
		*place = '\0';
		if (!place_frame_is_inlined(before, at))
			place_frame_text(record->derived.text.context.places, D_VALUE_STACK, stack,
				&same, place);
		log_writer_frame(record->log, name, place);
		before = at;
		record->has_unnamed |= *name == '[';
		count++;
	}
	return count;
}

static void fail(struct record_writer *record, const char *what, int result)
{
	record->has_failed = true;
	error_set(&record->error, -result, "%s", what);
	end_trace();
}

/* Finds out where an event has happened. The first values of both kinds are the same. False: it has
 * no room. */
static bool take_event(
	struct record_writer *record, const uint64_t *values, struct log_writer_event *event)
{
	const struct text *name = value_text(values[PROCESS_SCRIPT_NAME]);
	uint32_t pid = (uint32_t)values[PROCESS_SCRIPT_PID];
	char text[NAME_BYTES];
	int cap;

	*event = (struct log_writer_event){.time = values[PROCESS_SCRIPT_TIME],
		.tid = (uint32_t)values[PROCESS_SCRIPT_TID],
		.cpu = (uint32_t)values[PROCESS_SCRIPT_CPU]};
	snprintf(text, sizeof(text), "%.*s", name ? (int)name->length : 0, name ? name->bytes : "");
	cap = cap_of(record, pid, (uint32_t)values[PROCESS_SCRIPT_PPID], text,
		value_text(values[PROCESS_SCRIPT_ARGUMENTS]));
	if (cap == -E2BIG)
		record->left_out++;
	else if (cap < 0)
		fail(record, "out of memory", cap);
	if (cap < 0)
		return false;
	event->cap = (uint16_t)cap;
	note_thread(record, pid, event);
	return true;
}

static void write_sample(struct record_writer *record, const uint64_t *values)
{
	struct log_writer_event event;
	uint32_t kernel;

	if (!take_event(record, values, &event))
		return;
	kernel = add_frames(record, value_text(values[PROCESS_SCRIPT_KERNEL]));
	add_frames(record, value_text(values[PROCESS_SCRIPT_USER]));
	log_writer_sample(record->log, &event, kernel, PROCESS_SCRIPT_PERIOD);
	record->samples++;
}

static void write_event(struct record_writer *record, const uint64_t *values, bool has_stack)
{
	struct log_writer_event event;
	char text[384];
	int result;

	if (!take_event(record, values, &event))
		return;
	if (has_stack)
		add_frames(record, value_text(values[RECORD_PROBES_STACK]));
	result = record_probes_begin(record->probes, record->log, record->probe,
		(uint32_t)values[PROCESS_SCRIPT_PID], &event, values + RECORD_PROBES_FIRST);
	record->events += !result;
	if (!result)
		return;
	snprintf(text, sizeof(text), "%.64s:%.64s:%.64s:%.64s cannot be recorded: %s",
		record->probe->provider, record->probe->module, record->probe->function,
		record->probe->name,
		result == -EINVAL          ? "only USDT probes of processes can"
			: result == -E2BIG ? "there are too many probes"
					   : "out of memory");
	fail(record, text, result);
}

static void begin_clause(struct writer *writer, const struct writer_clause *clause)
{
	record_of(writer)->probe = clause->probe;
}

static void end_clause(struct writer *writer, const struct writer_clause *clause)
{
	(void)writer;
	(void)clause;
}

/* What the script prints: a sample, an event of a probe, or an argument of that as a text. */
static void write_printf(struct writer *writer, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	struct record_writer *record = record_of(writer);
	const struct text *text;

	(void)format;
	if (record->has_failed || record->is_full)
		return;
	if (action->argument_count == RECORD_PROBES_TEXT_VALUES) {
		text = value_text(values[1]);
		if (text)
			record_probes_text(
				record->probes, record->log, values[0], text->bytes, text->length);
		return;
	}
	if (record->probes)
		record_probes_end(record->probes, record->log);
	/* not when an event has begun: its texts follow */
	if (log_writer_is_full(record->log))
		hand_over(record, true);
	if (record->has_failed || record->is_full)
		return;
	if (action->argument_count == PROCESS_SCRIPT_VALUES)
		write_sample(record, values);
	else
		write_event(record, values, action->argument_count > RECORD_PROBES_VALUES);
}

/* An argument that cannot be read as a text is none. */
static void write_fault(struct writer *writer, const struct writer_fault *fault)
{
	struct record_writer *record = record_of(writer);

	if (!record->probes)
		record->derived.text_operations->fault(writer, fault);
}

/* ---- the other operations of a writer ---- */

static void write_drop(struct writer *writer, const struct writer_drop *drop)
{
	struct record_writer *record = record_of(writer);
	uint64_t now = clock_monotonic();

	if (drop->kind == DROP_PRINCIPAL && record->log) {
		log_writer_lost(record->log, drop->count, record->checked, now);
		record->lost += drop->count;
		record->checked = now;
	} else {
		record->derived.text_operations->drop(writer, drop);
	}
}

static void record_flush(struct writer *writer)
{
	struct record_writer *record = record_of(writer);
	uint64_t now = clock_monotonic();

	hand_over(record, true);
	if (!record->log)
		return;
	record_display_show(&record->display, recording_counts(record->recording), false);
	if (!record->has_unnamed || now - record->asked < ASK_S * CLOCK_NS_PER_S)
		return;
	/* a JVM may have compiled what could not be named */
	jvm_map_ask(record->spec);
	record->has_unnamed = false;
	record->asked = now;
}

/* The file may lack what waits to be compressed, so there is always something to flush. */
static bool is_pending(struct writer *writer)
{
	(void)writer;
	return true;
}

static void ignore(struct writer *writer)
{
	(void)writer;
}

/* What goes wrong is reported in our own words, after the end. */
static int no_error(struct writer *writer)
{
	(void)writer;
	return 0;
}

static const struct writer_operations operations = {
	.clause_begin = begin_clause,
	.clause_end = end_clause,
	.printf = write_printf,
	.fault = write_fault,
	.drop = write_drop,
	.flush = record_flush,
	.is_pending = is_pending,
	.error = no_error,
	.summary_begin = ignore,
};

static void record_writer_init(struct record_writer *record, const struct record_options *options,
	const struct target_spec *spec)
{
	*record = (struct record_writer){.spec = spec,
		.checked = clock_monotonic(),
		.display = {.is_terminal = isatty(STDERR_FILENO),
			.is_compressed = options->recording.compression}};
	derived_writer_init(&record->derived, &operations, stderr, stderr);
}

static void record_writer_free(struct record_writer *record)
{
	log_writer_free(record->log);
	record_probes_free(record->probes);
	free(record->processes);
	free(record->threads);
	hash_table_free(&record->thread_table);
}

/* ---- the trace ---- */

/* Has the log describe the processes that are there, also those that will have no sample. */
static int describe_targets(struct record_writer *record, struct error *error)
{
	for (size_t i = 0; i < record->spec->count; i++) {
		const struct target_item *item = &record->spec->items[i];
		struct process_info process;
		int result;

		if (item->kind != TARGET_PID)
			continue;
		result = process_info_read(item->pid, &process, error);
		if (result)
			return result;
		result = cap_of(record, item->pid, process.ppid, process.name, NULL);
		if (result < 0)
			return error_set(error, -result, "out of memory");
	}
	return 0;
}

/* Samples lost, processes left out and the like. */
static void tell_end(const struct record_writer *record, const struct record_options *options)
{
	if (record->is_full)
		cli_message("'%s' has reached its largest size: the recording is ended",
			options->recording.file);
	if (record->lost)
		cli_message("%" PRIu64
			    " samples were lost: the machine was too busy to record them",
			record->lost);
	if (record->left_out)
		cli_message("%" PRIu64 " samples are left out: they are of more than %d processes",
			record->left_out, LOG_WRITER_PROCESSES_MAX);
	if (record->probes) {
		if (!record->events && !record->samples)
			cli_message("none of the probes has been fired");
	} else if (!record->samples)
		cli_message("there are no samples: nothing of it has run on a processor%s",
			record->spec->follows ? "" : " (--follow records what it starts, too)");
}

/* Has SIGHUP end the recording in order as well, unless the caller ignores it (nohup). */
static void end_at_hangup(int signal)
{
	(void)signal;
	kill(getpid(), SIGTERM);
}

static void take_hangup(struct sigaction *before)
{
	struct sigaction action = {.sa_handler = end_at_hangup, .sa_flags = SA_RESTART};

	if (!sigaction(SIGHUP, NULL, before) && before->sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
}

/* Creates the file, now that samples can come: it must not be emptied for nothing. */
static int open_log(void *context, struct error *error)
{
	struct record_writer *record = context;
	int result =
		log_writer_open(record->recording, record->probes, &record->log, &record->error);

	if (!result)
		result = describe_targets(record, &record->error);
	record->has_failed = result;
	*error->text = '\0'; /* it is reported after the end */
	record_display_begin(&record->display);
	return result;
}

/* The script for samples, for the probes that are named, or for both. NULL: out of memory. */
static char *make_script(const struct target_spec *spec, const struct record_options *options)
{
	char *samples = NULL, *text = NULL;
	size_t size, named = record_options_named(options);
	FILE *file;

	if (!named)
		return process_script(spec, PROCESS_SCRIPT_EVENTS);
	if (options->sample_period)
		samples = process_script(spec, PROCESS_SCRIPT_EVENTS);
	file = open_memstream(&text, &size);
	if (!file || (options->sample_period && !samples)) {
		if (file)
			fclose(file);
		free(text);
		free(samples);
		return NULL;
	}
	fprintf(file, "%s#pragma D option quiet\n#pragma D option strsize=%d\n",
		samples ? samples : "", RECORD_PROBES_TEXT_BYTES);
	free(samples);
	for (size_t i = 0; i < options->probe_count; i++)
		if (!options->sample_period || options->probes[i] != record_options_sample)
			record_probes_script(file, options->probes[i],
				options->stacks && !options->sample_period);
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Traces. Returns an exit status. */
static int run_trace(
	struct record_writer *record, struct trace *trace, const struct record_options *options)
{
	struct sigaction before;
	int status = trace_replace_bundled(trace, make_script(&trace->spec, options));

	if (status)
		return status;
	if (record->probes) { /* as messages name it */
		trace->scripts[0].name = options->probes[0];
		trace->scripts[0].is_file = false;
	}
	trace->seconds = options->seconds;
	trace->writer = &record->derived.text.writer;
	trace->opened = open_log;
	trace->opened_context = record;
	/* functions that have been compiled before are named from the first sample on */
	jvm_map_ask(&trace->spec);
	record->asked = clock_monotonic();
	take_hangup(&before);
	status = trace_target(trace);
	sigaction(SIGHUP, &before, NULL);
	/* what is wrong with a probe description is a finding */
	return status == CLI_FOUND && !record->probes ? CLI_CANNOT : status;
}

int record_kernel(struct record_options *options)
{
	char name[] = "top", *words[] = {name, NULL};
	struct record_writer record;
	struct error closing = {""};
	struct trace trace;
	int status = trace_options_parse(&trace, 1, words, "top"), result;

	if (status)
		goto out;
	trace.verb = "record";
	trace.spec = options->spec;
	options->spec = (struct target_spec){.items = NULL};
	trace.spec.via = TARGET_VIA_KERNEL;
	record_writer_init(&record, options, &trace.spec);
	if (record_options_named(options))
		record.probes = record_probes_new();
	result = recording_new(&options->recording, &record.recording, &record.error);
	record.has_failed = result;
	if (!result)
		status = run_trace(&record, &trace, options);
	if (record.log) {
		hand_over(&record, false);
		record_display_show(&record.display, recording_counts(record.recording), true);
	}
	if (record.recording) {
		if (recording_close(record.recording, !record.has_failed, &closing) &&
			!record.has_failed) {
			record.has_failed = true;
			record.error = closing;
		}
	}
	if (record.has_failed) {
		cli_message("%s", record.error.text);
		status = CLI_CANNOT;
	} else if (!status) {
		tell_end(&record, options);
	}
	record_writer_free(&record);
out:
	trace_options_free(&trace);
	return status;
}
