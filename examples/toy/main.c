/*
 * main.c: the command line of the toy interpreter.
 */
#include "backtrace.h"
#include "census.h"
#include "process.h"
#include "sampling.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#define MAX_CAPS 256
#define DEFAULT_HEAP ((size_t)256 << 20)
#define MIN_HEAP ((size_t)1 << 20)

static const char usage[] =
	"usage: toy [OPTION]... PROGRAM.toy [ARGUMENT]...\n"
	"Runs a program of the toy language, the example VM of vmtap.\n"
	"\n"
	"  --caps=N          capabilities: OS threads that run guest code (default 1)\n"
	"  --heap=SIZE       limit of the heap, with K, M or G (default 256M)\n"
	"  -I DIRECTORY      search DIRECTORY for required files, before those of TOY_PATH\n"
	"  --stats[=json]    at the end, print the VM's own count of each event to standard error\n"
	"  --stats-by=FILE   write counts by class, method, thread and so on, as JSON lines\n"
	"  --event-log=FILE  write a line for each event with its arguments\n"
	"  --census=class|site  count heap samples by class or by allocation site (default class)\n"
	"  --help            this text\n"
	"  --version         the version\n"
	"\n"
	"A program may start others with VM.start(name, path): each runs in a VM of its own in "
	"the\n"
	"same process, with as many capabilities. The process ends when all of them have ended.\n"
	"\n"
	"TOY_LOSSLESS_MS is vmtap_start()'s option lossless_ms.\n"
	"\n"
	"Exit status: the n of the program's exit(n); 1 after an error of the program,\n"
	"2 after wrong usage.\n";

enum {
	OPTION_CAPS = 256,
	OPTION_HEAP,
	OPTION_STATS,
	OPTION_STATS_BY,
	OPTION_LOG,
	OPTION_CENSUS,
	OPTION_HELP,
	OPTION_VERSION
};

struct arguments {
	struct vm_options vm;
	bool stats;
	bool json;
};

static int parse_size(const char *text, size_t *size)
{
	char *end;
	unsigned long long number;
	int shift = 0;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || end == text || *text == '-')
		return -EINVAL;
	if (*end == 'K' || *end == 'k')
		shift = 10;
	else if (*end == 'M' || *end == 'm')
		shift = 20;
	else if (*end == 'G' || *end == 'g')
		shift = 30;
	if (shift)
		end++;
	if (*end || number > (SIZE_MAX >> 1 >> shift))
		return -EINVAL;
	*size = (size_t)number << shift;
	return *size < MIN_HEAP ? -EINVAL : 0;
}

static int parse_caps(const char *text, uint16_t *caps)
{
	char *end;
	long number = strtol(text, &end, 10);

	if (end == text || *end || number < 1 || number > MAX_CAPS)
		return -EINVAL;
	*caps = (uint16_t)number;
	return 0;
}

static int add_search(struct vm_options *options, const char *directory, size_t length)
{
	char **path = realloc(options->search_path, (options->search_count + 1) * sizeof(*path));

	if (!path)
		return -ENOMEM;
	options->search_path = path;
	path[options->search_count] = strndup(directory, length);
	if (!path[options->search_count])
		return -ENOMEM;
	options->search_count++;
	return 0;
}

/* The program's directory, its lib, then TOY_PATH; -I came before. */
static int complete_search(struct vm_options *options)
{
	const char *slash = strrchr(options->program, '/');
	size_t length = slash ? (size_t)(slash - options->program) : 0;
	const char *environment = getenv("TOY_PATH");
	char *lib = malloc(length + sizeof("./lib"));
	int error = -ENOMEM;

	if (!lib)
		return -ENOMEM;
	if (slash)
		sprintf(lib, "%.*s/lib", (int)length, options->program);
	else
		strcpy(lib, "lib");
	error = add_search(
		options, slash ? options->program : ".", slash ? length + (length == 0) : 1);
	if (!error)
		error = add_search(options, lib, strlen(lib));
	while (!error && environment && *environment) {
		size_t part = strcspn(environment, ":");

		if (part)
			error = add_search(options, environment, part);
		environment += part + (environment[part] == ':');
	}
	free(lib);
	return error;
}

/* Returns 0 to go on, else the exit status plus one. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct option options[] = {
		{"caps", required_argument, NULL, OPTION_CAPS},
		{"heap", required_argument, NULL, OPTION_HEAP},
		{"stats", optional_argument, NULL, OPTION_STATS},
		{"stats-by", required_argument, NULL, OPTION_STATS_BY},
		{"event-log", required_argument, NULL, OPTION_LOG},
		{"census", required_argument, NULL, OPTION_CENSUS},
		{"help", no_argument, NULL, OPTION_HELP},
		{"version", no_argument, NULL, OPTION_VERSION},
		{NULL, 0, NULL, 0},
	};
	int option;

	while ((option = getopt_long(argc, argv, "+I:", options, NULL)) >= 0) {
		switch (option) {
		case OPTION_CAPS:
			if (parse_caps(optarg, &arguments->vm.caps)) {
				fprintf(stderr, "toy: --caps=%s: not a number from 1 to %d\n",
					optarg, MAX_CAPS);
				return 3;
			}
			break;
		case OPTION_HEAP:
			if (parse_size(optarg, &arguments->vm.heap)) {
				fprintf(stderr, "toy: --heap=%s: not a size of at least 1M\n",
					optarg);
				return 3;
			}
			break;
		case OPTION_STATS:
			arguments->stats = true;
			arguments->json = optarg && strcmp(optarg, "json") == 0;
			if (optarg && !arguments->json) {
				fprintf(stderr, "toy: --stats=%s: only json is known\n", optarg);
				return 3;
			}
			break;
		case OPTION_STATS_BY:
			arguments->vm.stats_by = optarg;
			break;
		case OPTION_LOG:
			arguments->vm.event_log = optarg;
			break;
		case OPTION_CENSUS:
			arguments->vm.census_by_site = strcmp(optarg, "site") == 0;
			if (!arguments->vm.census_by_site && strcmp(optarg, "class") != 0) {
				fprintf(stderr, "toy: --census=%s: class or site\n", optarg);
				return 3;
			}
			break;
		case 'I':
			if (add_search(&arguments->vm, optarg, strlen(optarg))) {
				fprintf(stderr, "toy: out of memory\n");
				return 2;
			}
			break;
		case OPTION_HELP:
			fputs(usage, stdout);
			return 1;
		case OPTION_VERSION:
			printf("toy %s\n", TOY_VERSION);
			return 1;
		default:
			fputs("Try toy --help.\n", stderr);
			return 3;
		}
	}
	if (optind == argc) {
		fputs("toy: no program given. Try toy --help.\n", stderr);
		return 3;
	}
	arguments->vm.program = argv[optind];
	arguments->vm.argument_count = argc - optind - 1;
	arguments->vm.arguments = argv + optind + 1;
	if (complete_search(&arguments->vm)) {
		fprintf(stderr, "toy: out of memory\n");
		return 2;
	}
	return 0;
}

static int write_stats(const struct process *process, const struct arguments *arguments)
{
	FILE *file;
	int error;

	if (arguments->stats)
		stats_print(process, stderr, arguments->json);
	if (!arguments->vm.stats_by)
		return 0;
	file = fopen(arguments->vm.stats_by, "w");
	if (!file) {
		fprintf(stderr, "toy: %s: %s\n", arguments->vm.stats_by, strerror(errno));
		return 1;
	}
	error = stats_print_by_key(process, file);
	if (fclose(file) || error) {
		fprintf(stderr, "toy: %s: %s\n", arguments->vm.stats_by,
			error ? strerror(-error) : strerror(errno));
		return 1;
	}
	return 0;
}

/* Says why nothing is served, and which of the user's settings may be the cause. */
static void report_start(int error, const char *log)
{
	const char *socket = secure_getenv("VMTAP_SOCKET");

	fprintf(stderr, "toy: no event stream: %s", strerror(error));
	if (socket && *socket)
		fprintf(stderr, " (VMTAP_SOCKET=%s)", socket);
	if (log)
		fprintf(stderr, " (VMTAP_LOG=%s)", log);
	fputc('\n', stderr);
}

static int run(struct arguments *arguments, int argc, char **argv)
{
	struct vmtap_options options = {.size = sizeof(options)};
	struct process process;
	struct vm *vm;
	const char *asked = secure_getenv("VMTAP_LOG"); /* vmtap_start() empties the variable */
	char *log = asked && *asked ? strdup(asked) : NULL;
	const char *patience = getenv("TOY_LOSSLESS_MS");
	int status;

	process_init(&process);
	arguments->vm.process = &process;
	arguments->vm.name = "main";
	vm = vm_new(&arguments->vm);
	if (!vm || process_add(&process, vm, false)) {
		free(log);
		return 1;
	}
	options.runtime = "toy " TOY_VERSION;
	options.argument_count = argc;
	options.arguments = argv;
	options.caps = arguments->vm.caps;
	if (patience)
		options.lossless_ms = (int32_t)strtol(patience, NULL, 10);
	census_register(&process, arguments->vm.census_by_site);
	backtrace_register();
	sampling_register(&process);
	/* The program runs even if nothing can be served. */
	status = vmtap_start(&options);
	if (status && status != -ENOSYS) /* -ENOSYS: built without probes */
		report_start(-status, log);
	free(log);
	status = vm_run(vm);
	vmtap_stop();
	if (write_stats(&process, arguments))
		status = 1;
	process_free(&process);
	return status;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.vm = {.caps = 1, .heap = DEFAULT_HEAP}};
	int status = parse_arguments(argc, argv, &arguments);

	status = status ? status - 1 : run(&arguments, argc, argv);
	for (size_t i = 0; i < arguments.vm.search_count; i++)
		free(arguments.vm.search_path[i]);
	free(arguments.vm.search_path);
	return status;
}
