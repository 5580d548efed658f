/*
 * flame.c: `vmtap flame`: where the time goes, by stacks of methods, as a flame graph or as lines
 * of text; of a log, of processes, or of two logs that are compared. One VM's calls, and logs, are
 * followed event by event (stacks.h); everything else is a trace with samples (flame_trace.h).
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/flame/flame_lost.h"
#include "cli/flame/flame_trace.h"
#include "cli/flame/flame_writers.h"
#include "cli/flame/stacks.h"
#include "cli/interrupts.h"
#include "targets/target_spec.h"
#include "targets/target_streams.h"

enum {
	OPTION_BY = 256,
	OPTION_DIFF,
	OPTION_FOLDED,
	OPTION_PPROF,
	OPTION_SECONDS,
	OPTION_SAMPLES,
	OPTION_EXACT,
	OPTION_WALL,
	OPTION_FOLLOW,
	OPTION_WAIT,
	OPTION_SOCKET,
	OPTION_VIA,
	OPTION_LOSSLESS,
	SAMPLE_HZ = 97,
	TITLE_MAX = 600,
	FINISH_MS = 2000
};

static const struct measure {
	const char *name, *unit, *title;
	enum stacks_measure measure;
} measures[] = {
	{"time", "ns", "elapsed time by calls", STACKS_TIME},
	{"calls", "calls", "calls", STACKS_CALLS},
	{"bytes", "bytes", "bytes allocated", STACKS_BYTES},
	{"blocked", "ns", "time blocked", STACKS_BLOCKED},
};

struct flame_options {
	const struct measure *by;
	const char *output;
	bool is_diff, is_sampled, is_exact;
	bool is_elapsed; /* samples of a process, --wall */
	int (*write)(const struct flame_view *view, FILE *output);
	uint64_t seconds; /* 0: until the process ends or a signal comes */
	char **words;     /* what to trace, as `vmtap trace` takes it; the first is "flame" */
	int word_count;
	char (*pids)[CLI_PID_TEXT]; /* in these words, of processes that were named */
	int pid_count;
	bool is_traced; /* by these words */
};

static void help(void)
{
	printf("Usage: vmtap flame [OPTION]... PID|LOG -o FILE\n"
	       "       vmtap flame [OPTION]... -p PID|-c COMMAND|--wait NAME -o FILE\n"
	       "       vmtap flame [OPTION]... -o FILE -- COMMAND [ARGUMENT]...\n"
	       "       vmtap flame [OPTION]... --diff BEFORE AFTER -o FILE\n"
	       "A flame graph of any process, or of a recorded log: where the time goes. Of a VM "
	       "that\n"
	       "serves an event stream, the methods; of every other process its functions and "
	       "those of\n"
	       "the kernel, by samples of its stacks, for which root's rights are needed.\n\n"
	       "      --by MEASURE  time (the default), calls, bytes (allocated, by class), or\n"
	       "                    blocked (the time that threads wait, by reason)\n"
	       "      --samples     by samples of CPU time with the VM's own stacks, 97 a second: "
	       "the\n"
	       "                    default of what runs; of a log, those in it (a log without "
	       "calls is\n"
	       "                    shown by its samples anyway)\n"
	       "      --exact       every call instead, which slows a VM down; also of processes "
	       "that\n"
	       "                    serve no event stream and have probes of their calls (php, "
	       "ruby,\n"
	       "                    java, python): each call costs those some microseconds\n"
	       "      --wall        by samples of elapsed time: what waits counts too; of a "
	       "process\n"
	       "      --folded      lines of text for other tools instead of an SVG\n"
	       "      --pprof       a profile for 'go tool pprof' and others instead of an SVG\n"
	       "      --diff        compares two logs: red takes a larger share in the second,\n"
	       "                    blue a smaller one\n"
	       "      --seconds N   of a process: end after N seconds (else with ^C, or with it)\n"
	       "  -o FILE           the file; - is the standard output\n\n"
	       "What to show, if not one PID or LOG (then always by samples):\n"
	       "  -p PID            a process, or its name; may be repeated\n"
	       "  -c COMMAND        start the command, and show it to its end\n"
	       "      --follow      also what the processes start\n"
	       "      --wait NAME   VMs of that name, also those that start later\n"
	       "      --socket PATH the VM that serves this socket\n"
	       "      --via=kernel  a VM as any other process: its functions\n"
	       "      --lossless, -x OPTION   as 'vmtap trace' has them\n"
	       "  -h, --help        this text\n\n"
	       "A name of digits only is a PID; ./123 is a file.\n"
	       "Exit status: 0; 2 usage, 3 the log or process cannot be read, it has no such "
	       "events, or\nthe file cannot be written.\n");
}

/* Takes all events of a log. is_again: the log has been read before, and a message has said how it
 * ends, so none does now. */
static int read_log(struct feed *feed, struct stacks *stacks, bool is_again, struct error *error)
{
	struct feed_progress progress;
	struct event_batch batch = {0};
	struct error damage = {""};
	enum source_state state;
	uint64_t events = 0;
	bool has_memory = true;

	feed_progress_init(&progress);
	while (has_memory &&
		(state = source_next(feed->source, 0, &batch, &damage)) == SOURCE_MORE) {
		has_memory = stacks_batch(stacks, feed, &batch);
		events += batch.event_count;
		feed_progress_show(&progress, events, feed->what);
	}
	feed_progress_end(&progress);
	if (!has_memory)
		return error_set(error, ENOMEM, "out of memory");
	if (state == SOURCE_BROKEN) {
		if (!is_again)
			cli_message("%s", damage.text);
		if (!feed->source->truncated)
			return error_set(error, EPROTO, "%s: only read up to there", feed->what);
	}
	return 0;
}

/* Takes the events of a process until it ends, a signal comes, or the time is over. */
static int read_process(
	struct feed *feed, struct stacks *stacks, uint64_t seconds, struct error *error)
{
	struct interrupts interrupts = {0};
	struct feed_progress progress;
	struct event_batch batch = {0};
	struct error damage = {""};
	uint64_t end = seconds ? clock_monotonic() + seconds * 1000 * CLOCK_NS_PER_MS : UINT64_MAX;
	uint64_t events = 0;
	bool is_stopped = false, has_memory = true;
	enum source_state state;
	sigset_t signals, before;
	int result;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, &before);
	result = interrupts_open(&interrupts, &signals);
	if (result) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		return error_set(error, -result, "signals: %s", strerror(-result));
	}
	feed_progress_init(&progress);
	for (;;) {
		struct pollfd waits[2] = {
			{.fd = interrupts_descriptor(&interrupts), .events = POLLIN},
			{.fd = source_descriptor(feed->source), .events = POLLIN}};
		uint64_t now;

		state = source_next(feed->source, 0, &batch, &damage);
		if (state == SOURCE_MORE) {
			has_memory = stacks_batch(stacks, feed, &batch);
			events += batch.event_count;
			feed_progress_show(&progress, events, "the stream");
		} else if (state != SOURCE_IDLE) {
			break;
		} else {
			poll(waits, 2, 100);
		}
		interrupts_take(&interrupts);
		now = clock_monotonic();
		if (!has_memory || interrupts.count > 1 || (is_stopped && now > end))
			break;
		if (!is_stopped && (interrupts.count || now >= end)) {
			is_stopped = true;
			end = now + FINISH_MS * CLOCK_NS_PER_MS;
			source_stop(feed->source);
		}
	}
	feed_progress_end(&progress);
	interrupts_close(&interrupts);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return has_memory ? 0 : error_set(error, ENOMEM, "out of memory");
}

/* The stacks of a log or process, and what they are of. */
struct collected {
	struct call_tree *tree;
	bool is_sampled;
	enum flame_way way;
	enum source_samples samples;
	struct flame_subject subject;
};

/* Says how much of the time is the probes' own, and what that does to the picture. */
static void tell_cost(const struct flame_options *options, const struct collected *collected)
{
	char line[FLAME_SUBJECT_LINE_MAX];

	flame_subject_cost(line, &collected->subject, options->by->unit);
	if (*line)
		cli_message("%s: %s: methods that are called often look too expensive, and what "
			    "waits too cheap; samples are not distorted (%s)",
			collected->subject.name, line,
			options->is_traced ? "'vmtap flame' without --exact"
					   : "'vmtap record' without -n");
}

/* What the width of a frame is. */
static const char *title_of(const struct flame_options *options, const struct collected *collected)
{
	static const char *const titles[] = {[SOURCE_SAMPLES_UNKNOWN] = "time by samples",
		[SOURCE_SAMPLES_CPU] = "CPU time by samples",
		[SOURCE_SAMPLES_CPU_TICKS] = "CPU time by samples at ticks of elapsed time",
		[SOURCE_SAMPLES_ELAPSED] = "elapsed time by samples"};

	if (collected->is_sampled)
		return titles[collected->samples];
	return options->by->measure == STACKS_TIME && collected->subject.leaves_waits_out
		? "time by calls, without waits"
		: options->by->title;
}

/*
 * Collects the stacks of a log or process into a tree, which must be initialised. -ENODATA: there
 * were none, and the tree is as before; -ENOTSUP: the process has no samples to give, which were
 * not asked for by name. is_again: as read_log().
 */
static int collect_by(struct collected *collected, const struct flame_options *options,
	bool is_sampled, const char *what, bool is_again, struct error *error)
{
	const struct feed_probe *probes = is_sampled ? &stacks_sample : stacks_probes;
	size_t probe_count = is_sampled ? 1 : stacks_probe_count;
	const struct feed_wish wish = {.stacks = is_sampled,
		.sample_period = is_sampled ? CLOCK_NS_PER_S / SAMPLE_HZ : 0,
		.is_elapsed = options->is_elapsed};
	struct flame_subject *subject = &collected->subject;
	struct stacks *stacks = NULL;
	char lost[FLAME_LOST_MAX];
	struct feed feed;
	uint64_t calls;
	uint32_t pid;
	int result;

	if (cli_is_pid(what)) {
		if (cli_pid("flame", what, &pid))
			return error_set(error, EINVAL, "%s: not a process", what);
		result = feed_open_process(&feed, "flame", pid, probes, probe_count, &wish, error);
	} else {
		result = feed_open_log(
			&feed, "flame", cli_input(what), probes, probe_count, &wish, error);
	}
	if (!result && is_sampled && !options->is_sampled && cli_is_pid(what) && !feed.followed)
		result = -ENOTSUP;
	collected->way = cli_is_pid(what) ? FLAME_WAY_PROCESS
		: feed.has_other_calls    ? FLAME_WAY_KERNEL_LOG
					  : FLAME_WAY_LOG;
	if (!result) {
		stacks = stacks_new(collected->tree, options->by->measure, feed.source->start);
		if (!stacks)
			result = error_set(error, ENOMEM, "out of memory");
		flame_subject_describe(subject, &feed, what);
	}
	if (!result && cli_is_pid(what))
		result = read_process(&feed, stacks, options->seconds, error);
	else if (!result)
		result = read_log(&feed, stacks, is_again, error);
	if (stacks) {
		calls = stacks_finish(stacks);
		subject->count = calls;
		subject->counted = is_sampled ? "samples" : "calls";
		subject->lost = stacks_lost(stacks);
		if (!is_sampled && feed.has_other_calls)
			subject->cost = *stacks_cost(stacks);
		if (subject->lost && !result && cli_is_pid(what) && !is_sampled) {
			flame_lost_tell_calls(&(struct flame_lost_calls){what, subject->lost,
				options->by->measure, options->by->name, options->seconds,
				options->output});
		} else if (subject->lost && !result) {
			flame_lost_text(lost, subject->lost, is_sampled, collected->way);
			cli_message("%s: %s", what, lost);
		}
		if (!result && !calls)
			result = error_set(error, ENODATA,
				is_sampled
					? "%s: no samples with stacks: the VM takes none, or the "
					  "log was recorded without --stacks"
					: "%s: no calls (method-entry, function-entry), so there "
					  "are no stacks",
				what);
	}
	if (!result) {
		collected->is_sampled = is_sampled;
		collected->samples = feed.source->samples;
		if (is_sampled && collected->samples == SOURCE_SAMPLES_CPU_TICKS)
			cli_message("%s: samples became due at ticks of elapsed time, since the "
				    "process could have no timers on the CPU clocks of its "
				    "threads: where threads wait, the shares may be wrong",
				what);
	}
	stacks_free(stacks);
	feed_close(&feed);
	return result;
}

/*
 * A running VM is sampled, since every call makes it slower and may be too much to be sent; if it
 * has no samples to give, its calls are followed. A log without calls is shown by its samples, if
 * it has any.
 */
static int collect(struct collected *collected, const struct flame_options *options,
	const char *what, struct error *error)
{
	const bool is_process = cli_is_pid(what), is_of_time = options->by->measure == STACKS_TIME;
	const bool is_sampled =
		options->is_sampled || (is_process && is_of_time && !options->is_exact);
	const bool may_have_samples =
		!is_sampled && is_of_time && !is_process && strcmp(what, "-") != 0;
	int result = collect_by(collected, options, is_sampled, what, false, error);
	struct error unsampled;

	if (result == -ENOTSUP) {
		cli_message("%s: the VM gives no samples; its calls are shown", what);
		result = collect_by(collected, options, false, what, false, error);
	}
	if (result == -ENODATA && may_have_samples &&
		!collect_by(collected, options, true, what, true, &unsampled))
		result = 0;
	if (result == -ENODATA && is_process && is_sampled)
		error_set(error, ENODATA,
			"%s: no samples with stacks: the VM has not run, or takes none; 'vmtap "
			"flame --exact -p %s -o %s' follows its calls",
			what, what, options->output);
	return result;
}

/* Collects them by a trace. Returns 0, a negative errno and a line in error, or an exit status
 * after a message. */
static int collect_trace(struct collected *collected, struct flame_traced *traced,
	const struct flame_options *options, struct error *error)
{
	struct flame_subject *subject = &collected->subject;
	uint64_t when = clock_now(CLOCK_REALTIME);
	const struct flame_trace_wish wish = {.seconds = options->seconds,
		.is_elapsed = options->is_elapsed,
		.is_exact = options->is_exact,
		.measure = options->by->measure,
		.output = options->output};
	int status = flame_trace(traced, options->word_count, options->words, &wish);

	collected->is_sampled = !options->is_exact;
	collected->samples = options->is_elapsed ? SOURCE_SAMPLES_ELAPSED : SOURCE_SAMPLES_CPU;
	snprintf(subject->name, sizeof(subject->name), "%s", traced->name);
	subject->when = when;
	subject->count = traced->samples;
	subject->counted = options->is_exact ? "calls" : "samples, 97 a second";
	subject->lost = traced->lost;
	subject->cost = traced->cost;
	*error->text = '\0';
	if (!status && collected->tree->count == 1 && options->is_exact)
		return error_set(error, ENODATA, "%s: no calls: nothing of it has called a method",
			traced->name);
	if (!status && collected->tree->count == 1)
		return error_set(error, ENODATA,
			traced->is_kernel
				? "%s: no samples: nothing of it has run on a processor (--follow "
				  "shows what it starts, too)"
				: "%s: no samples: nothing of it has run, or the VM takes none",
			traced->name);
	return status;
}

static int write_view(
	const struct flame_options *options, const struct flame_view *view, struct error *error)
{
	bool is_standard = !strcmp(options->output, "-");
	FILE *output = is_standard ? stdout : fopen(options->output, "we");
	struct stat status;
	int result;

	if (!output)
		return error_set(error, errno, "%s: %s", options->output, strerror(errno));
	errno = 0;
	result = options->write(view, output);
	if (fflush(output) && !result)
		result = -(errno ? errno : EIO);
	if (!is_standard) {
		if (fclose(output) && !result)
			result = -(errno ? errno : EIO);
		if (result && !stat(options->output, &status) && S_ISREG(status.st_mode))
			unlink(options->output);
	}
	return result
		? error_set(error, -result, "%s: %s",
			  is_standard ? "standard output" : options->output, strerror(-result))
		: 0;
}

static void print_title(char title[TITLE_MAX], const struct flame_options *options,
	const struct collected *collected, const struct collected *before)
{
	const char *measure = title_of(options, collected);
	bool is_alike = options->is_diff && !strcmp(measure, title_of(options, before));

	if (options->is_diff)
		snprintf(title, TITLE_MAX, "%s: %s compared with %s%s%s", measure,
			collected->subject.name, is_alike ? "" : title_of(options, before),
			is_alike ? "" : ": ", before->subject.name);
	else
		snprintf(title, TITLE_MAX, "%s: %s", measure, collected->subject.name);
}

static enum flame_way way_of_trace(
	const struct flame_options *options, const struct flame_traced *traced)
{
	if (traced->is_kernel)
		return FLAME_WAY_KERNEL;
	for (int i = 1; i < options->word_count && strcmp(options->words[i], "--") != 0; i++)
		if (!strcmp(options->words[i], "--lossless"))
			return FLAME_WAY_LOSSLESS_TRACE;
	return FLAME_WAY_TRACE;
}

static int command(const struct flame_options *options, char **operands)
{
	const char *shown_name = options->is_traced ? "" : operands[options->is_diff];
	struct call_tree tree, before;
	struct collected collected = {.tree = &tree}, collected_before = {.tree = &before};
	struct error error = {"out of memory"};
	struct flame_view view = {
		.tree = &tree, .is_comparison = options->is_diff, .unit = options->by->unit};
	struct flame_traced traced = {.tree = &tree};
	struct call_shown *shown = NULL;
	char title[TITLE_MAX], note[FLAME_LOST_MAX];
	uint64_t lost;
	int result = call_tree_init(&tree);

	if (call_tree_init(&before))
		result = -ENOMEM;
	if (!result && options->is_traced)
		result = collect_trace(&collected, &traced, options, &error);
	else if (!result)
		result = collect(&collected, options, shown_name, &error);
	if (options->is_traced)
		shown_name = traced.name;
	if (!result && options->is_diff)
		result = collect(&collected_before, options, operands[0], &error);
	if (!result) {
		shown = call_tree_show(&tree, options->is_diff ? &before : NULL, &view.count);
		result = shown ? 0 : error_set(&error, ENOMEM, "out of memory");
	}
	if (!result) {
		if (tree.is_cut)
			cli_message("there are more than %d stacks: some count for their callers",
				CALL_TREE_NODES_MAX);
		if (!shown[0].total)
			cli_message("%s: nothing to show by %s", shown_name, options->by->name);
		print_title(title, options, &collected, &collected_before);
		collected.subject.total = shown[0].total;
		collected_before.subject.total = shown[0].other_total;
		tell_cost(options, &collected);
		lost = collected.subject.lost + collected_before.subject.lost;
		if (lost) {
			flame_lost_text(note, lost, collected.is_sampled,
				options->is_traced ? way_of_trace(options, &traced)
						   : collected.way);
			view.note = note;
		}
		view.shown = shown;
		view.title = title;
		view.measure = options->by->measure == STACKS_TIME && !collected.is_sampled
			? options->by->name
			: title_of(options, &collected);
		view.subject = &collected.subject;
		if (options->is_diff)
			view.other = &collected_before.subject;
		result = write_view(options, &view, &error);
	}
	free(shown);
	call_tree_free(&tree);
	call_tree_free(&before);
	if (result && *error.text)
		cli_message("%s", error.text);
	return result > 0 ? result : result ? CLI_CANNOT : CLI_OK;
}

static int take_measure(const char *text, struct flame_options *options)
{
	for (size_t i = 0; i < sizeof(measures) / sizeof(measures[0]); i++) {
		if (!strcmp(measures[i].name, text)) {
			options->by = &measures[i];
			return CLI_OK;
		}
	}
	return cli_usage("flame", "'%s' is not a measure: time, calls, bytes, blocked", text);
}

static int take_seconds(const char *text, struct flame_options *options)
{
	char *end;

	errno = 0;
	options->seconds = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || !options->seconds ||
		options->seconds > 1000000000)
		return cli_usage("flame", "'%s' is not a number of seconds", text);
	return CLI_OK;
}

/* ---- the command line ---- */

/* How the trace calls one of its options; NULL: it is not one of them. */
static const char *trace_word(int option)
{
	switch (option) {
	case 'p':
		return "-p";
	case 'c':
		return "-c";
	case 'x':
		return "-x";
	case OPTION_FOLLOW:
		return "--follow";
	case OPTION_LOSSLESS:
		return "--lossless";
	case OPTION_WAIT:
		return "--wait";
	case OPTION_SOCKET:
		return "--socket";
	case OPTION_VIA:
		return "--via";
	default:
		return NULL;
	}
}

/* Passes an option on to the trace; value NULL: it has none. */
static void pass_on(struct flame_options *flame, const char *option, const char *value)
{
	flame->words[flame->word_count++] = (char *)(uintptr_t)option;
	if (value)
		flame->words[flame->word_count++] = (char *)(uintptr_t)value;
}

static int take_process(struct flame_options *flame, const char *text)
{
	char *digits = flame->pids[flame->pid_count++];

	pass_on(flame, "-p", digits);
	return cli_pid_text("flame", text, digits);
}

static int take_option(
	struct flame_options *flame, int option, char **argv, const struct option *options)
{
	switch (option) {
	case 'o':
		flame->output = optarg;
		return CLI_OK;
	case OPTION_BY:
		return take_measure(optarg, flame);
	case OPTION_DIFF:
		flame->is_diff = true;
		return CLI_OK;
	case OPTION_WALL:
		flame->is_elapsed = true;
		/* fall through */
	case OPTION_SAMPLES:
		flame->is_sampled = true;
		return CLI_OK;
	case OPTION_EXACT:
		flame->is_exact = true;
		return CLI_OK;
	case OPTION_FOLDED:
		flame->write = flame_folded_write;
		return CLI_OK;
	case OPTION_PPROF:
		flame->write = flame_pprof_write;
		return CLI_OK;
	case OPTION_SECONDS:
		return take_seconds(optarg, flame);
	case 'p':
		return take_process(flame, optarg);
	default:
		if (!trace_word(option))
			return cli_option_refused("flame", option, argv, options);
		pass_on(flame, trace_word(option), optarg);
		return CLI_OK;
	}
}

/* The only thing that is named, if it is a log or a process; NULL: there are several, or options
 * that only a trace knows. */
static char *only_one(const struct flame_options *flame, char **operands, int count)
{
	if (flame->word_count == 1)
		return count == 1 ? operands[0] : NULL;
	return !count && flame->word_count == 3 && !strcmp(flame->words[1], "-p") ? flame->words[2]
										  : NULL;
}

/* Returns whether a process serves an event stream, true if that cannot be found out: the opening
 * says why. */
static bool has_stream(uint32_t pid)
{
	struct target_spec spec = {.via = TARGET_VIA_AUTO};
	enum target_streams streams = TARGET_STREAMS_ALL;
	struct error error;

	if (!target_spec_add_pid(&spec, pid) && target_streams_look(&spec, &streams, &error))
		streams = TARGET_STREAMS_ALL;
	target_spec_free(&spec);
	return streams == TARGET_STREAMS_ALL;
}

/*
 * Decides whether a trace shows it. A log, and a VM by itself, is followed call by call: *one is it
 * then. For a trace, pids are options.
 */
static int choose_way(struct flame_options *flame, char **operands, int count, char **one)
{
	uint32_t pid;

	*one = only_one(flame, operands, count);
	if (*one && cli_is_pid(*one) && cli_pid("flame", *one, &pid))
		return CLI_USAGE;
	if (flame->is_diff || (*one && (!cli_is_pid(*one) || has_stream(pid))))
		return CLI_OK;
	*one = NULL;
	flame->is_traced = true;
	for (int i = 0; i < count; i++) {
		if (!cli_is_pid(operands[i]))
			return cli_usage("flame", "one log at a time, and no process beside it");
		pass_on(flame, "-p", operands[i]);
	}
	if (flame->by->measure == STACKS_CALLS && !flame->is_exact)
		return cli_usage("flame",
			"--by calls needs every call: with --exact, or of one VM that serves an "
			"event stream, or of a recorded log");
	if (flame->by->measure == STACKS_BYTES || flame->by->measure == STACKS_BLOCKED)
		return cli_usage("flame",
			"--by %s is of one VM that serves an event stream, or of a recorded log; "
			"'vmtap trace %s",
			flame->by->name,
			flame->by->measure == STACKS_BYTES ? "alloc_by_class' counts objects"
							   : "off_cpu_by_stack' shows waits");
	return CLI_OK;
}

static int check(const struct flame_options *flame, char **operands, int count)
{
	if (flame->is_diff && (count != 2 || flame->word_count > 1))
		return cli_usage("flame", "--diff compares two logs");
	if (flame->word_count == 1 && !count)
		return cli_usage("flame", "no log or process is named");
	if (flame->is_sampled && flame->by->measure != STACKS_TIME)
		return cli_usage("flame", "%s",
			flame->is_elapsed ? "--wall is of time" : "--samples are of time");
	if (flame->is_exact && flame->is_sampled)
		return cli_usage("flame", "--exact takes no samples");
	if (count == 1 && !cli_is_pid(operands[0]) && cli_is_name(operands[0]))
		return CLI_USAGE;
	if (flame->is_elapsed && count && !cli_is_pid(operands[0]))
		return cli_usage(
			"flame", "--wall is of a process: a log has the samples that it has");
	if (flame->seconds && count && !cli_is_pid(operands[0]))
		return cli_usage(
			"flame", "--seconds limits what runs: a recorded log has its own end");
	if (flame->is_diff && flame->write == flame_pprof_write)
		return cli_usage("flame", "--pprof has no form for a comparison");
	if (!flame->output)
		return cli_usage("flame", "no file is named (-o FILE)");
	return CLI_OK;
}

/* Reads the command line and carries it out. rest: the words after "--", or NULL. */
static int parse(struct flame_options *flame, int argc, char **argv, char **rest)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"by", required_argument, NULL, OPTION_BY},
		{"diff", no_argument, NULL, OPTION_DIFF},
		{"folded", no_argument, NULL, OPTION_FOLDED},
		{"pprof", no_argument, NULL, OPTION_PPROF},
		{"seconds", required_argument, NULL, OPTION_SECONDS},
		{"samples", no_argument, NULL, OPTION_SAMPLES},
		{"exact", no_argument, NULL, OPTION_EXACT},
		{"wall", no_argument, NULL, OPTION_WALL},
		{"follow", no_argument, NULL, OPTION_FOLLOW},
		{"wait", required_argument, NULL, OPTION_WAIT},
		{"socket", required_argument, NULL, OPTION_SOCKET},
		{"via", required_argument, NULL, OPTION_VIA},
		{"lossless", no_argument, NULL, OPTION_LOSSLESS},
		{NULL, 0, NULL, 0},
	};
	char *one[2] = {NULL};
	int option, count, status = CLI_OK;

	opterr = 0;
	optind = 0;
	while (!status && (option = getopt_long(argc, argv, ":ho:p:c:x:", options, NULL)) != -1) {
		if (option == 'h') {
			help();
			return CLI_OK;
		}
		status = take_option(flame, option, argv, options);
	}
	count = argc - optind;
	if (!status && rest)
		for (pass_on(flame, "--", NULL); *rest; rest++)
			pass_on(flame, *rest, NULL);
	if (!status)
		status = check(flame, argv + optind, count);
	if (!status)
		status = choose_way(flame, argv + optind, count, one);
	return status ? status : command(flame, flame->is_diff ? argv + optind : one);
}

int command_flame(int argc, char **argv)
{
	struct flame_options flame = {.by = &measures[0], .write = flame_svg_write};
	char **words = calloc((size_t)argc * 2 + 2, sizeof(*words));
	int own = 1, status;

	flame.pids = calloc((size_t)argc, sizeof(*flame.pids));
	if (!words || !flame.pids) {
		cli_message("out of memory");
		free(flame.pids);
		free(words);
		return CLI_CANNOT;
	}
	while (own < argc && strcmp(argv[own], "--") != 0)
		own++;
	flame.words = words;
	flame.words[flame.word_count++] = argv[0];
	status = parse(&flame, own, argv, own < argc ? argv + own + 1 : NULL);
	free(flame.pids);
	free(words);
	return status;
}
