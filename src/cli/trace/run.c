/*
 * run.c: see run.h.
 *
 * Time: a tick that is due waits until the source says how far it has come, since events from
 * before the tick may still be on their way. A source that has been silent for too long
 * (SOURCE_SILENCE_NS) no longer holds ticks back. Without a stream, ticks follow the clock; with a
 * recording, they follow the recording's time.
 *
 * Once the probes are open, signals are blocked and read from a descriptor, so none is lost between
 * two waits. The first one ends the trace properly; a second one that is not sent along with it
 * stops it at once. While the probes are being opened, a signal ends vmtap: nothing has been traced
 * yet.
 */
#include "cli/trace/run.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/command_line.h"
#include "base/debug.h"
#include "base/test_point.h"
#include "cli/cli.h"
#include "cli/interrupts.h"
#include "cli/trace/effects.h"
#include "cli/trace/trace_join.h"
#include "engine/engine.h"
#include "engine/output/json_writer.h"
#include "engine/output/text_writer.h"
#include "source/merge.h"
#include "source/source.h"
#include "targets/targets.h"
#include "usdt/process/heard_code.h"
#include "usdt/process/process_symbols.h"
#include "wire/loss.h"

enum {
	DRAIN_MS = 2000, /* how long the target may take to finish its stream */
	HEED_MS = 250,   /* how long after a signal the events before it are still run */
	HUNG_MS = 1000,  /* a target that has been silent for so long does not answer */
	FLUSH_MS = 100,  /* longest time between two writes of output */
	KEYS_MS = 20,    /* time between two looks for keys, while events come */
	JOIN_MS = 5,     /* time between two looks for VMs that have turned up, while events come */
	OVER_MS = 20,    /* and between two looks whether all that a command started has ended */
	COLLECT_S = 60,  /* and between two reads of what sources count, which has its limits */
	LATE_MS = 1000,  /* ticks that take longer are put together */
	WAIT_MS = 60000  /* longest single wait */
};

struct run {
	const struct run_settings *settings;
	struct engine *engine;
	struct writer *writer;   /* the engine writes to it */
	struct source *source;   /* NULL once it has ended */
	struct heard_code *code; /* of processes, as sources hear of it; NULL: no names are shown */
	struct interrupts interrupts;
	uint64_t latest;       /* latest time seen in the recording */
	uint64_t heard;        /* when the stream last said something */
	uint64_t flushed;      /* when output was last written */
	uint64_t told;         /* when drops were last reported */
	uint64_t looked;       /* when it last searched for VMs that join and leave */
	uint64_t collected;    /* when what sources count was last read for its own sake */
	uint64_t shown;        /* when the last snapshot was made */
	uint64_t keyed;        /* when it last read keys */
	uint64_t engaged;      /* when the engine was last given something to do */
	uint64_t ends;         /* when the limit of time is reached; UINT64_MAX: there is none */
	bool is_over;          /* it has been reached */
	bool is_damaged;       /* the recording is damaged, not only cut off */
	bool is_begun;         /* BEGIN has run and has not ended the trace */
	bool pending_drops;    /* the engine has run since */
	uint64_t lost;         /* events that the source has lost */
	unsigned loss_reasons; /* of enum loss_reason */
	bool has_advised;      /* of that */
	bool can_wait;         /* some of them by a stream, which is or was able to wait */
};

/* The current time, on the clock of the program's events. */
static uint64_t present(const struct run *run)
{
	const struct source *source = run->settings->targets->source;

	return source && source->recorded ? run->latest : clock_monotonic();
}

static bool has_exited(const struct run *run)
{
	int status;

	return engine_exited(run->engine, &status);
}

static void take_signals(struct run *run)
{
	interrupts_take(&run->interrupts);
}

/* A second signal stops END and what is printed after it. */
static bool is_stopped(void *context)
{
	struct run *run = context;

	take_signals(run);
	return run->interrupts.count > 1;
}

/* If ticks take longer than the time between them, more and more are due: neither a signal nor the
 * rest of the trace must wait for them all. */
static bool is_late(void *context)
{
	struct run *run = context;

	take_signals(run);
	return run->interrupts.count ||
		clock_monotonic() - run->engaged > LATE_MS * CLOCK_NS_PER_MS;
}

static int flush_output(struct run *run, uint64_t now, struct error *error)
{
	struct writer *writer = run->writer;
	int number;

	run->flushed = now;
	writer->operations->flush(writer);
	number = writer->operations->error(writer);
	return number ? error_set(error, number, "failed to write to %s: %s",
				run->settings->output_name, strerror(number))
		      : 0;
}

/*
 * When pending output is to be written, according to option switchrate; UINT64_MAX: nothing is
 * pending, or output is written immediately.
 */
static uint64_t flush_due(const struct run *run)
{
	uint64_t rate = engine_options(run->engine)->switchrate;

	if (!rate || !run->writer->operations->is_pending(run->writer) ||
		rate >= UINT64_MAX - run->flushed)
		return UINT64_MAX;
	return run->flushed + rate;
}

static int flush_when_due(struct run *run, uint64_t now, struct error *error)
{
	bool waits = engine_options(run->engine)->switchrate && now < flush_due(run);

	return waits ? 0 : flush_output(run, now, error);
}

static void show_message(const struct event_batch *batch)
{
	const struct event_process *process;

	if (batch->message_process == UINT32_MAX) {
		cli_message("%s", batch->message);
		return;
	}
	process = &batch->processes[batch->message_process];
	if (*process->execname)
		cli_message("process %" PRIu32 " (%s): %s", process->pid, process->execname,
			batch->message);
	else /* it has ended before it was looked at */
		cli_message("process %" PRIu32 ": %s", process->pid, batch->message);
}

static void note_processes(const struct run_settings *settings, const struct event_batch *batch)
{
	if (!settings->note_process)
		return;
	for (size_t i = 0; i < batch->process_count; i++)
		if (batch->processes[i].runtime && *batch->processes[i].runtime)
			settings->note_process(settings->writer, &batch->processes[i]);
}

static void run_batch(struct run *run, const struct event_batch *batch)
{
	note_processes(run->settings, batch);
	if (batch->event_count && batch->events[batch->event_count - 1].time > run->latest)
		run->latest = batch->events[batch->event_count - 1].time;
	if (batch->until > run->latest)
		run->latest = batch->until;
	if (batch->message)
		show_message(batch);
	for (size_t i = 0; i < batch->loss_count; i++)
		if (batch->losses[i].kind == EVENT_LOSS_EVENTS) {
			run->lost += batch->losses[i].count;
			run->loss_reasons |= batch->losses[i].reasons;
			run->can_wait |= loss_can_wait(batch->losses[i].reasons) &&
				(batch->losses[i].since || run->source->recorded);
		}
	TEST_POINT("batch-taken");
	run->engaged = clock_monotonic();
	engine_run(run->engine, batch);
	TEST_POINT("batch-run");
	run->pending_drops = true;
}

/* After DTrace's line of the first drops: what would have prevented them. */
static void advise_lossless(struct run *run)
{
	if (!run->can_wait || run->has_advised || run->settings->lossless)
		return;
	run->has_advised = true;
	if (run->settings->targets->spec->log)
		cli_message("the log lost events: 'vmtap record --lossless' loses none");
	else
		cli_message("with --lossless the VM waits instead of losing events");
}

static void report_drops(struct run *run, uint64_t now)
{
	if (!run->pending_drops || now - run->told < run->settings->program->options.statusrate)
		return;
	engine_status(run->engine);
	advise_lossless(run);
	run->told = now;
	run->pending_drops = false;
}

/* Whether some source may still deliver an event of the time that has passed. */
static bool has_stream(const struct run *run)
{
	return run->source && targets_are_live(run->settings->targets);
}

static struct join_run join_of(const struct run *run)
{
	return (struct join_run){.program = run->settings->program,
		.probes = run->settings->probes,
		.engine = run->engine,
		.lossless = run->settings->lossless,
		.follows = targets_may_join(run->settings->targets),
		.quiet = run->settings->quiet,
		.kernel_tells = run->source && source_merge_tells_thread_ends(run->source)};
}

/* Lets VMs, further runtimes of a VM, and what processes load, join and leave. */
static void look_for_vms(struct run *run, uint64_t now)
{
	struct targets *targets = run->settings->targets;
	struct join_run join = join_of(run);
	const struct target_joiner joiner = join_joiner(&join);

	if (run->source)
		targets_join_code(targets, &joiner);
	if (!run->source || now - run->looked < JOIN_MS * CLOCK_NS_PER_MS)
		return;
	run->looked = now;
	targets_join(targets, &joiner);
	run->source = targets->source;
}

/* When the next snapshot is due; UINT64_MAX: never. */
static uint64_t snapshot_due(const struct run *run)
{
	return run->settings->snapshot ? run->shown + run->settings->snapshot : UINT64_MAX;
}

static void make_snapshot(struct run *run, uint64_t now)
{
	if (now < snapshot_due(run))
		return;
	run->shown = now;
	engine_status(run->engine);
	engine_snapshot(run->engine);
}

static void take_keys(struct run *run, uint64_t now)
{
	if (!run->settings->input || now - run->keyed < KEYS_MS * CLOCK_NS_PER_MS)
		return;
	run->keyed = now;
	run->settings->input->take(run->settings->input->context);
}

/* Whether the run is to end now: a signal has come, or its time is over. */
static bool is_to_end(struct run *run)
{
	take_signals(run);
	run->is_over = run->ends != UINT64_MAX && clock_monotonic() >= run->ends;
	return run->interrupts.count || run->is_over;
}

/* Waits until there is something to do. */
static void wait_for_more(struct run *run)
{
	const struct targets *targets = run->settings->targets;
	struct pollfd waits[5] = {{.fd = interrupts_descriptor(&run->interrupts), .events = POLLIN},
		{.fd = targets->ends, .events = POLLIN}, {.fd = -1, .events = POLLIN},
		{.fd = targets_descriptor(targets), .events = POLLIN},
		{.fd = run->settings->input ? run->settings->input->descriptor : -1,
			.events = POLLIN}};
	uint64_t due = engine_next_tick(run->engine), now = clock_monotonic(), drops;
	struct timespec left = {.tv_sec = WAIT_MS / 1000};

	if (run->source) {
		waits[2].fd = source_descriptor(run->source);
		if (targets_must_poll(targets))
			left = (struct timespec){.tv_nsec = OVER_MS * CLOCK_NS_PER_MS};
		/* the silence may have begun before or after the tick was due */
		if (due != UINT64_MAX && has_stream(run)) {
			uint64_t from = due > run->heard ? due : run->heard;
			due = from + SOURCE_SILENCE_NS;
		}
	} else if (targets->asks) {
		left = (struct timespec){.tv_nsec = 10 * CLOCK_NS_PER_MS};
	}
	if (run->source && source_due(run->source) < due)
		due = source_due(run->source);
	if (run->source && targets_due(targets) < due)
		due = targets_due(targets);
	drops = run->told + run->settings->program->options.statusrate;
	if (run->pending_drops && drops < due)
		due = drops;
	if (flush_due(run) < due)
		due = flush_due(run);
	if (snapshot_due(run) < due)
		due = snapshot_due(run);
	if (run->ends < due)
		due = run->ends;
	if (due <= now)
		left = (struct timespec){0};
	else if (due - now < (uint64_t)left.tv_sec * 1000000000u + (uint64_t)left.tv_nsec)
		left = (struct timespec){.tv_sec = (time_t)((due - now) / 1000000000u),
			.tv_nsec = (long)((due - now) % 1000000000u)};
	if (ppoll(waits, sizeof(waits) / sizeof(waits[0]), &left, NULL) < 0 || waits[4].revents)
		run->keyed = 0;
	if (waits[4].revents & (POLLHUP | POLLERR)) /* the terminal is gone */
		interrupts_add(&run->interrupts);
}

/* Fires the ticks that no longer have to wait for the source. */
static void advance(struct run *run)
{
	uint64_t now = clock_monotonic(), due = engine_next_tick(run->engine);

	if (due == UINT64_MAX || due > now)
		return;
	if (has_stream(run) && now - run->heard < SOURCE_SILENCE_NS)
		return;
	if (has_stream(run) && now - due < SOURCE_SILENCE_NS)
		return;
	run->engaged = now;
	engine_advance(run->engine, now);
	run->pending_drops = true;
}

/* Samples without the events of a process end with the processes that are watched. */
static void stop_alone(struct run *run)
{
	struct targets *targets = run->settings->targets;

	if (!run->source || !run->source->accompanies || !targets->count || !targets_poll(targets))
		return;
	run->source->accompanies = false;
	source_stop(run->source);
}

/* Runs until exit(), the target's end, a signal, or the limit of time. */
static int main_loop(struct run *run, struct error *error)
{
	enum source_state state = SOURCE_ENDED, end = SOURCE_ENDED;
	struct event_batch batch = {0};
	struct targets *targets = run->settings->targets;
	struct error reason = {""};
	int result = 0;
	uint64_t now;

	while (!result && !has_exited(run)) {
		if (is_to_end(run))
			break;
		state = SOURCE_IDLE;
		if (run->source)
			state = source_next(run->source, 0, &batch, &reason);
		else if ((targets->source || targets->count) && targets_poll(targets))
			break; /* a command may run a little longer than its stream */
		stop_alone(run);
		now = clock_monotonic();
		if (now - run->collected > COLLECT_S * CLOCK_NS_PER_S) {
			engine_collect(run->engine);
			run->collected = now;
		}
		make_snapshot(run, now);
		take_keys(run, now);
		targets_report_ends(targets, SOURCE_MORE, NULL, run->settings->quiet);
		if (state == SOURCE_MORE) {
			run->heard = now;
			run_batch(run, &batch);
			look_for_vms(run, now);
			report_drops(run, now);
			if (now - run->flushed > FLUSH_MS * CLOCK_NS_PER_MS)
				result = flush_when_due(run, now, error);
		} else if (state == SOURCE_IDLE) {
			report_drops(run, now);
			look_for_vms(run, now);
			advance(run);
			result = flush_when_due(run, now, error);
			targets_poll(targets);
			if (!result && !has_exited(run))
				wait_for_more(run);
		} else {
			end = state;
			run->source = NULL;
		}
	}
	if (!run->source) {
		targets_report_ends(targets, end, &reason, run->settings->quiet);
		run->is_damaged = end == SOURCE_BROKEN && targets->source->recorded &&
			!targets->source->truncated;
	}
	return result;
}

/* Processes what the target had sent before it was told to stop. */
static void drain(struct run *run)
{
	struct join_run join = join_of(run);
	const struct target_joiner joiner = join_joiner(&join);
	const uint64_t began = clock_monotonic(), heeded = began + HEED_MS * CLOCK_NS_PER_MS;
	uint64_t limit = began + DRAIN_MS * CLOCK_NS_PER_MS, now, due;
	struct event_batch batch = {0};
	enum source_state state;
	bool has_run = false;
	struct error reason;

	targets_settle(run->settings->targets);
	source_stop(run->source);
	TEST_POINT("tracing-stopped");
	while (run->interrupts.count < 2 && !has_exited(run)) {
		struct pollfd waits[2] = {
			{.fd = interrupts_descriptor(&run->interrupts), .events = POLLIN},
			{.fd = source_descriptor(run->source), .events = POLLIN}};
		targets_join_code(run->settings->targets, &joiner);
		state = source_next(run->source, 0, &batch, &reason);
		now = clock_monotonic();
		if (state == SOURCE_MORE) {
			if (!batch.event_count && now >= limit)
				break;
			/* A target that floods may have sent work for minutes. The first batch may
			 * be late only because the source took long to stop. */
			if (batch.event_count && !run->settings->lossless && now > heeded &&
				has_run) {
				cli_message("the events come faster than they can be processed: "
					    "the last ones before the %s are left out",
					run->is_over ? "end" : "signal");
				break;
			}
			run_batch(run, &batch);
			has_run |= batch.event_count;
			run->heard = clock_monotonic();
		} else if (state == SOURCE_IDLE) {
			/* one that has hung before the signal does not end its stream either */
			if (now >= limit ||
				(now >= heeded &&
					targets_are_silent(run->settings->targets, run->heard,
						began - HUNG_MS * CLOCK_NS_PER_MS)))
				break;
			due = source_due(run->source);
			due = due < limit ? due : limit;
			due = now < heeded && heeded < due ? heeded : due;
			poll(waits, 2, due > now ? (int)((due - now) / CLOCK_NS_PER_MS) + 1 : 0);
		} else {
			break;
		}
		take_signals(run);
	}
}

/* Opens the files of targets whose symbols may be asked for after they have ended. */
static void note_targets(struct process_symbols *symbols, const struct run_settings *settings)
{
	const struct symbol_lookup *lookup = symbols ? process_symbols_lookup(symbols) : NULL;
	if (!d_program_names_places(settings->program))
		return;
	for (size_t i = 0; lookup && i < settings->targets->count; i++)
		lookup->note(lookup->context, settings->targets->items[i].process.pid, 0);
}

/*
 * Learns what is mapped before the first event: a process may execute another program, or end,
 * before what the kernel has aggregated is named.
 */
static void learn_code(const struct run *run)
{
	const struct targets *targets = run->settings->targets;
	uint64_t now = clock_monotonic();

	if (!run->code)
		return;
	for (size_t i = 0; i < targets->count; i++)
		heard_code_learn(run->code, targets->items[i].process.pid, now);
	if (!targets->count)
		heard_code_learn_all(run->code, now);
}

/* What sources have for the engine's aggregations, also those that have ended. */
static void collect(void *context, const struct partial_sink *sink)
{
	struct run *run = context;

	/* After exit() no probe fires, not even while the results of the others are read. */
	if (run->source && !run->source->recorded && run->is_begun && has_exited(run))
		source_stop(run->source);
	/* What happens before the end of a BEGIN that calls exit() is not counted. */
	if (run->settings->targets->source && run->is_begun)
		source_collect(run->settings->targets->source, sink);
}

/* Tells the source which probes the program is enabled on, and what the program reads there. */
static int enable_probes(struct run *run, struct error *error)
{
	struct source_request request;
	int result =
		source_request_of_program(&request, run->settings->program, run->settings->probes);

	request.lossless = run->settings->lossless;
	request.follows = targets_may_join(run->settings->targets);
	request.latency = engine_options(run->engine)->switchrate;
	request.sample = engine_options(run->engine)->sample;
	request.heap_period = engine_options(run->engine)->heapsample;
	request.heard = run->code;
	if (result)
		error_set(error, ENOMEM, "out of memory");
	else
		result = source_enable(run->source, &request, error);
	for (size_t i = 0; i < request.want_count && !result; i++)
		if (request.wants[i].reduced)
			engine_leave(run->engine, request.wants[i].probe, request.wants[i].clause);
	source_request_free(&request);
	return result;
}

/* Who asked for lossless delivery relies on having everything. */
static void tell_lost(const struct run *run, int *status)
{
	if (!run->settings->lossless || !run->lost)
		return;
	cli_message("%" PRIu64 " event%s lost although --lossless asked for all: %s", run->lost,
		run->lost == 1 ? " was" : "s were", loss_reason_text(run->loss_reasons));
	if (!*status)
		*status = CLI_FOUND;
}

int run_program(const struct run_settings *settings, int *status, struct error *error)
{
	struct source *source = settings->targets->source;
	bool is_json = settings->program->options.format == D_OUTPUT_JSON;
	struct text_writer text;
	struct json_writer json = {.text = NULL};
	struct effects effects;
	struct process_symbols *symbols = NULL;
	char arguments[4096], unnamed[512];
	const struct event_process self = {.pid = (uint32_t)getpid(),
		.ppid = (uint32_t)getppid(),
		.uid = getuid(),
		.gid = getgid(),
		.execname = "vmtap",
		.arguments = arguments};
	struct engine_settings engine_settings = {.program = settings->program,
		.probes = settings->probes,
		.self = &self,
		.writer = settings->writer ? settings->writer
			: is_json          ? &json.writer
					   : &text.writer,
		.effects = &effects.engine,
		.target = targets_pid(settings->targets),
		.cpus = source && source->recorded ? 0 : (uint32_t)sysconf(_SC_NPROCESSORS_CONF),
		.recorded = source && source->recorded};
	struct run run = {.settings = settings,
		.writer = engine_settings.writer,
		.source = source,
		.ends = UINT64_MAX};
	int64_t wall_offset = (int64_t)(clock_now(CLOCK_REALTIME) - clock_monotonic());
	uint64_t begun;
	sigset_t signals, before;
	int result;

	command_line_read(arguments, sizeof(arguments), 0);
	*status = 0;
	if (is_json && json_writer_init(&json, settings->output))
		return error_set(error, ENOMEM, "out of memory");
	text_writer_init(&text, settings->output, stderr);
	effects_init(&effects, settings->output, &settings->targets->descriptors);
	if (source && source->recorded) {
		run.latest = source->start;
		wall_offset = source->wall_offset;
	}
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, NULL, &before);
	engine_settings.is_stopped = is_stopped;
	engine_settings.stop_context = &run;
	if (!engine_settings.recorded) {
		engine_settings.is_late = is_late;
		engine_settings.late_context = &run;
	}
	engine_settings.collect = collect;
	engine_settings.collect_context = &run;
	/* Of a recording's addresses only the recording knows: the processes are of the past. */
	if (!engine_settings.recorded) {
		run.code = d_program_names_places(settings->program) ? heard_code_new() : NULL;
		symbols = process_symbols_new(run.code);
	}
	if (symbols)
		engine_settings.symbols = process_symbols_lookup(symbols);
	else if (source && source->recorded)
		engine_settings.symbols = source->symbols;
	result = engine_new(&engine_settings, &run.engine);
	if (result) {
		if (result == -ENOSPC)
			error_set(error, ENOSPC,
				"could not enable tracing: Enabling exceeds size of buffer");
		else
			error_set(
				error, -result, "the script cannot be run: %s", strerror(-result));
		goto out;
	}
	if (settings->program->options.destructive && !settings->quiet)
		fprintf(stderr, "dtrace: allowing destructive actions\n");
	debug_say(DEBUG_ENGINE, "begins, next tick %s",
		engine_next_tick(run.engine) == UINT64_MAX ? "never" : "set");
	/*
	 * BEGIN runs when all probes are open, since its output may make somebody cause the first
	 * event. Its time is before theirs: the first events may precede it.
	 */
	begun = present(&run);
	learn_code(&run);
	result = source ? enable_probes(&run, error) : 0;
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (result)
		goto out;
	targets_enabled(settings->targets);
	result = interrupts_open(&run.interrupts, &signals);
	if (result) {
		error_set(error, -result, "signals: %s", strerror(-result));
		goto out;
	}
	if (settings->opened)
		result = settings->opened(settings->opened_context, error);
	if (result)
		goto out;
	engine_begin(run.engine, begun, wall_offset);
	engine_count_ticks(run.engine, present(&run));
	run.is_begun = !has_exited(&run);
	run.told = run.heard = run.flushed = run.collected = clock_monotonic();
	if (settings->snapshot)
		engine_snapshot(run.engine);
	run.shown = run.told;
	if (settings->limit)
		run.ends = run.told + settings->limit;
	result = flush_when_due(&run, run.told, error);
	if (!result && !has_exited(&run) && targets_release(settings->targets, error)) {
		cli_message("%s", error->text);
		*status = CLI_CANNOT;
		goto out;
	}
	if (!result) {
		note_targets(symbols, settings);
		result = targets_resume(settings->targets, error);
	}
	if (!result)
		result = main_loop(&run, error);
	targets_let_go(settings->targets);
	if (result)
		goto out;
	if (run.interrupts.count && !run.is_over)
		run.writer->operations->interrupt(run.writer);
	if ((run.interrupts.count || run.is_over) && run.source && !source->recorded)
		drain(&run);
	if (run.interrupts.count < 2) {
		debug_say(DEBUG_ENGINE, "ends after %d signals", run.interrupts.count);
		engine_end(run.engine, present(&run));
		engine_status(run.engine);
		advise_lossless(&run);
		engine_exited(run.engine, status);
		if (run.is_damaged && !*status)
			*status = CLI_CANNOT;
		tell_lost(&run, status);
	} else {
		run.writer->operations->summary_begin(run.writer);
	}
	targets_end(settings->targets);
	result = flush_output(&run, clock_monotonic(), error);
	if (symbols && process_symbols_unnamed(symbols, unnamed, sizeof(unnamed)))
		cli_message("%s", unnamed);
out:
	engine_free(run.engine);
	process_symbols_free(symbols);
	heard_code_free(run.code);
	effects_free(&effects);
	json_writer_free(&json);
	interrupts_close(&run.interrupts);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return result;
}
