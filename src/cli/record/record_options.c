/* record_options.c: see record_options.h. */
#include "cli/record/record_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/cli.h"
#include "program/option.h"
#include "source/log_output.h"

#define HEAP_PERIOD_NS UINT64_C(100000000) /* GHC's own */

enum { SAMPLE_HZ = 97 };

enum {
	FILES_MAX = 10000,
	OPTION_COMPRESS = 256,
	OPTION_CPU_CLOCK,
	OPTION_STACKS,
	OPTION_GHC_ONLY,
	OPTION_HEAP_PROFILE,
	OPTION_LOSSLESS,
	OPTION_SAMPLES,
	OPTION_WALL,
	OPTION_MAX_SIZE,
	OPTION_ROTATE,
	OPTION_SOCKET,
	OPTION_FOLLOW,
	OPTION_SECONDS,
	OPTION_VIA,
	OPTION_WAIT /* only `vmtap trace` takes it, and the check says so */
};

static void help(void)
{
	printf("Usage: vmtap record [OPTION]... -p PID|-c COMMAND -o FILE\n"
	       "       vmtap record [OPTION]... -o FILE -- COMMAND [ARGUMENT]...\n"
	       "Writes the event stream of a VM to a file, which 'vmtap trace --log' and every\n"
	       "reader of GHC's eventlog can read. Of a process that serves no event stream, it\n"
	       "writes samples of its stacks, with the functions' names, 97 a second of each\n"
	       "processor, as root.\n\n"
	       "  -p PID            a running process, or its name; it is left running. Without\n"
	       "                    event streams it may be repeated\n"
	       "  -c COMMAND        start the command and record it from its first event; it is\n"
	       "                    ended with the recording. Quotes and backslashes work as in\n"
	       "                    a shell\n"
	       "      --socket PATH the process that serves its event stream there\n"
	       "      --follow      also what the processes start, by the kernel's samples\n"
	       "      --via=kernel  a VM as any other process: its functions\n"
	       "      --seconds N   end after N seconds (else with ^C, or with the target)\n"
	       "  -o FILE           the file; - is the standard output\n"
	       "  -n PROBES         only probes that match this description of D (may be "
	       "repeated);\n"
	       "                    without an event stream, USDT probes, perhaps with a\n"
	       "                    predicate: -n 'php*:::request-startup /arg0/'\n"
	       "      --ghc-only    only events of GHC's own types, for readers that know no "
	       "others\n"
	       "      --max-size N  end the file before it has more than N bytes (suffixes k, m, "
	       "g)\n"
	       "      --rotate N    then begin another, and keep the last N: FILE, FILE.1, ...\n"
	       "      --compress[=LEVEL]\n"
	       "                    compress the file with zstd, level 1 (fastest) to 19 "
	       "(default 1);\n"
	       "                    whatever reads logs reads it as it is\n"
	       "      --heap-profile[=PERIOD]\n"
	       "                    also record heap samples, one every PERIOD (default 100ms)\n"
	       "      --cpu-clock   record the thread's CPU clock with each event, for D's "
	       "vtimestamp\n"
	       "      --stacks      record the guest stack with each event, for D's jstack()\n"
	       "      --samples     only samples of CPU time with the VM's own stacks, for vmtap\n"
	       "                    flame, 97 a second\n"
	       "      --wall        the same by elapsed time: what waits counts too\n"
	       "      --lossless    let the VM wait rather than lose events\n"
	       "  -h, --help        this text\n\n"
	       "^C ends the recording in order.\n"
	       "Exit status: 0; 1 an error in a probe description, 2 usage, 3 the target cannot "
	       "be\n"
	       "recorded or the file cannot be written.\n");
}

static int take_size(const char *text, uint64_t *size)
{
	static const char suffixes[] = "kmgt";
	unsigned int shift = 0;
	const char *suffix;
	char *end;

	errno = 0;
	*size = strtoull(text, &end, 10);
	if (*end) {
		suffix = strchr(suffixes, *end | 0x20);
		if (!suffix || !*suffix || end[1])
			return cli_usage("record", "'%s' is not a size", text);
		shift = 10 * (unsigned int)(suffix - suffixes + 1);
	}
	if (errno || *text < '0' || *text > '9' || !*size || *size > (uint64_t)INT64_MAX >> shift)
		return cli_usage("record", "'%s' is not a size", text);
	*size <<= shift;
	return CLI_OK;
}

static int take_files(const char *text, unsigned int *files)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || !value || value > FILES_MAX)
		return cli_usage("record",
			"--rotate takes a number of files from 1 to %d, not '%s'", FILES_MAX, text);
	*files = (unsigned int)value;
	return CLI_OK;
}

static int take_level(const char *text, unsigned int *level)
{
	char *end = NULL;
	unsigned long value = text ? strtoul(text, &end, 10) : LOG_OUTPUT_LEVEL;

	if (text && (*end || *text < '0' || *text > '9' || !value || value > LOG_OUTPUT_LEVEL_MAX))
		return cli_usage("record", "--compress takes a level from 1 to %d, not '%s'",
			LOG_OUTPUT_LEVEL_MAX, text);
	if (log_output_can_compress()) {
		cli_message("--compress: this vmtap was built without libzstd");
		return CLI_CANNOT;
	}
	*level = (unsigned int)value;
	return CLI_OK;
}

static int take_period(const char *text, uint64_t *period)
{
	uint64_t value, unit = 0;
	bool is_rate = false;
	char *end;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || !value || !d_rate_unit(end, &unit, &is_rate) ||
		(is_rate ? !(unit / value) : value > INT64_MAX / unit))
		return cli_usage("record",
			"'%s' is not a period, which is a number and a unit, such as 100ms", text);
	*period = is_rate ? unit / value : value * unit;
	return CLI_OK;
}

static int out_of_memory(void)
{
	cli_message("out of memory");
	return CLI_CANNOT;
}

static int add_probes(struct record_options *options, const char *text)
{
	if (array_room(&options->probes, &options->probe_capacity, options->probe_count,
		    sizeof(*options->probes)))
		return out_of_memory();
	options->probes[options->probe_count++] = text;
	return CLI_OK;
}

/* Whether a target of that kind is given. */
static bool has_target(const struct record_options *options, enum target_kind kind)
{
	return options->spec.count && target_spec_kinds(&options->spec) & kind;
}

static int add_pid(struct record_options *options, const char *text)
{
	uint32_t pid;
	int status = cli_pid("record", text, &pid);

	if (status)
		return status;
	switch (target_spec_add_pid(&options->spec, pid)) {
	case 0:
		return CLI_OK;
	case -EEXIST:
		return cli_usage("record", "-p %s is given twice", text);
	default:
		return out_of_memory();
	}
}

static int add_command(struct record_options *options, const char *text)
{
	struct command_words command;
	struct error error;
	int result;

	if (has_target(options, TARGET_COMMAND))
		return cli_usage("record", "-c is given twice: one command at a time");
	result = command_words_split(&command, text, &error);
	if (result == -ENOMEM)
		return out_of_memory();
	if (result)
		return cli_usage("record", "-c: %s", error.text);
	if (!target_spec_add_command(&options->spec, command))
		return CLI_OK;
	command_words_free(&command);
	return out_of_memory();
}

static int take_via(struct record_options *options, const char *text)
{
	static const char *const names[] = {[TARGET_VIA_AUTO] = "auto",
		[TARGET_VIA_STREAM] = "stream",
		[TARGET_VIA_KERNEL] = "kernel"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			options->spec.via = (enum target_via)i;
			return CLI_OK;
		}
	return cli_usage("record", "--via %s: it is auto, stream or kernel", text);
}

static int add_socket(struct record_options *options, const char *path)
{
	if (has_target(options, TARGET_SOCKET))
		return cli_usage("record", "--socket is given twice: one target at a time");
	return target_spec_add_socket(&options->spec, path) ? out_of_memory() : CLI_OK;
}

const char record_options_sample[] = "vm$target:::sample";

size_t record_options_named(const struct record_options *options)
{
	return options->probe_count - (options->sample_period ? 1 : 0);
}

int record_options_parse(struct record_options *options, int argc, char **argv)
{
	static const struct option long_options[] = {
		{"help", no_argument, NULL, 'h'},
		{"compress", optional_argument, NULL, OPTION_COMPRESS},
		{"cpu-clock", no_argument, NULL, OPTION_CPU_CLOCK},
		{"follow", no_argument, NULL, OPTION_FOLLOW},
		{"ghc-only", no_argument, NULL, OPTION_GHC_ONLY},
		{"heap-profile", optional_argument, NULL, OPTION_HEAP_PROFILE},
		{"lossless", no_argument, NULL, OPTION_LOSSLESS},
		{"max-size", required_argument, NULL, OPTION_MAX_SIZE},
		{"rotate", required_argument, NULL, OPTION_ROTATE},
		{"samples", no_argument, NULL, OPTION_SAMPLES},
		{"seconds", required_argument, NULL, OPTION_SECONDS},
		{"stacks", no_argument, NULL, OPTION_STACKS},
		{"socket", required_argument, NULL, OPTION_SOCKET},
		{"via", required_argument, NULL, OPTION_VIA},
		{"wait", required_argument, NULL, OPTION_WAIT},
		{"wall", no_argument, NULL, OPTION_WALL},
		{NULL, 0, NULL, 0},
	};
	const char *operand = NULL;
	struct error error;
	int option, status = CLI_OK;

	opterr = 0;
	optind = 0;
	while (!status &&
		(option = getopt_long(argc, argv, "-:p:c:o:n:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'p':
			status = add_pid(options, optarg);
			break;
		case 'c':
			status = add_command(options, optarg);
			break;
		case OPTION_SOCKET:
			status = add_socket(options, optarg);
			break;
		case OPTION_FOLLOW:
			options->spec.follows = true;
			break;
		case OPTION_SECONDS:
			status = cli_number(
				"record", "--seconds", optarg, 1000000000, &options->seconds);
			break;
		case OPTION_VIA:
			status = take_via(options, optarg);
			break;
		case OPTION_WAIT:
			options->spec.name = optarg;
			break;
		case 'o':
			options->recording.file = strcmp(optarg, "-") ? optarg : "/dev/stdout";
			break;
		case 'n':
			status = add_probes(options, optarg);
			break;
		case OPTION_COMPRESS:
			status = take_level(optarg, &options->recording.compression);
			break;
		case OPTION_CPU_CLOCK:
			options->cpu_clock = true;
			break;
		case OPTION_WALL:
			options->is_elapsed = true;
			/* fall through */
		case OPTION_SAMPLES:
			if (options->sample_period)
				break;
			options->stacks = true;
			options->sample_period = CLOCK_NS_PER_S / SAMPLE_HZ;
			status = add_probes(options, record_options_sample);
			break;
		case OPTION_STACKS:
			options->stacks = true;
			break;
		case OPTION_GHC_ONLY:
			options->recording.ghc_only = true;
			break;
		case OPTION_HEAP_PROFILE:
			options->heap_period = HEAP_PERIOD_NS;
			if (optarg)
				status = take_period(optarg, &options->heap_period);
			break;
		case OPTION_LOSSLESS:
			options->lossless = true;
			break;
		case OPTION_MAX_SIZE:
			status = take_size(optarg, &options->recording.size_max);
			break;
		case OPTION_ROTATE:
			status = take_files(optarg, &options->recording.files);
			break;
		case 1: /* an operand */
			operand = operand ? operand : optarg;
			break;
		case 'h':
			help();
			options->helped = true;
			return CLI_OK;
		default:
			return cli_option_refused("record", option, argv, long_options);
		}
	}
	if (status)
		return status;
	/* what is left comes after -- */
	if (operand)
		return cli_usage("record", "'%s' is one operand too many", operand);
	if (optind < argc && !options->spec.count) {
		if (target_spec_add_command(&options->spec, command_words_of(argv + optind)))
			return out_of_memory();
	} else if (optind < argc) {
		return cli_usage("record", "'%s' is one operand too many", argv[optind]);
	}
	if (target_spec_check(&options->spec, "record", &error))
		return cli_usage("record", "%s", error.text);
	if (!options->recording.file)
		return cli_usage("record", "-o says which file to write");
	if (options->recording.files && !options->recording.size_max)
		return cli_usage("record", "--rotate needs --max-size");
	if (options->cpu_clock && options->recording.ghc_only)
		return cli_usage("record", "GHC has no event for what --cpu-clock records");
	options->is_of_stream = options->cpu_clock || options->heap_period || options->lossless ||
		options->is_elapsed || options->recording.ghc_only;
	if (options->stacks && options->recording.ghc_only)
		return cli_usage("record", "GHC has no event for what --stacks records");
	return CLI_OK;
}

void record_options_free(struct record_options *options)
{
	target_spec_free(&options->spec);
	free(options->probes);
}
