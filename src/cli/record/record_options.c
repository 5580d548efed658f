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
#include "cli/target_options.h"
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
	OPTION_SECONDS
};

static void help(void)
{
	printf("Usage: vmtap record [OPTION]... PID|-c COMMAND|--wait NAME -o FILE\n"
	       "       vmtap record [OPTION]... -o FILE -- COMMAND [ARGUMENT]...\n"
	       "Writes the event stream of a VM to a file, which 'vmtap trace --log' and every\n"
	       "reader of GHC's eventlog can read. Of a process that serves no event stream, it\n"
	       "writes samples of its stacks, with the functions' names, 97 a second of each\n"
	       "processor, as root.\n\n"
	       "  -p PID            a running process, or its name; it is left running; the same "
	       "as\n"
	       "                    PID. Without event streams it may be repeated\n"
	       "  -c COMMAND        start the command and record it from its first event; it is\n"
	       "                    ended with the recording. Quotes and backslashes work as in\n"
	       "                    a shell\n"
	       "      --wait NAME   the first VM of that name, also if it starts later\n"
	       "      --socket PATH the process that serves its event stream there\n"
	       "      --follow      also what the processes start, by the kernel's samples\n"
	       "      --via=kernel  a VM as any other process: its functions\n"
	       "      --seconds N   end after N seconds, --wait among them (else with ^C, or with "
	       "the\n"
	       "                    target)\n"
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

static int add_probes(struct record_options *options, const char *text)
{
	if (array_room(&options->probes, &options->probe_capacity, options->probe_count,
		    sizeof(*options->probes)))
		return cli_out_of_memory();
	options->probes[options->probe_count++] = text;
	return CLI_OK;
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
		TARGET_OPTIONS,
		{"compress", optional_argument, NULL, OPTION_COMPRESS},
		{"cpu-clock", no_argument, NULL, OPTION_CPU_CLOCK},
		{"ghc-only", no_argument, NULL, OPTION_GHC_ONLY},
		{"heap-profile", optional_argument, NULL, OPTION_HEAP_PROFILE},
		{"lossless", no_argument, NULL, OPTION_LOSSLESS},
		{"max-size", required_argument, NULL, OPTION_MAX_SIZE},
		{"rotate", required_argument, NULL, OPTION_ROTATE},
		{"samples", no_argument, NULL, OPTION_SAMPLES},
		{"seconds", required_argument, NULL, OPTION_SECONDS},
		{"stacks", no_argument, NULL, OPTION_STACKS},
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
		if (target_options_take("record", &options->spec, option, optarg, &status))
			continue;
		switch (option) {
		case OPTION_SECONDS:
			status = cli_number(
				"record", "--seconds", optarg, 1000000000, &options->seconds);
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
			if (cli_is_pid(optarg))
				status = target_options_process("record", &options->spec, optarg);
			else
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
	if (operand && cli_is_name(operand))
		return CLI_USAGE;
	if (operand)
		return cli_usage("record", "'%s' is one operand too many", operand);
	if (optind < argc)
		status = target_options_command("record", &options->spec, argv + optind);
	if (status)
		return status;
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
