/*
 * ps.c: `vmtap ps`: the VMs that serve an event stream now, of this user or, for root, of all.
 * Sockets that dead processes have left are removed on the way.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/probes.h"
#include "source/connection.h"
#include "source/endpoint.h"
#include "source/finder.h"
#include "source/listener.h"
#include "source/source.h"
#include "source/sweep.h"
#include "usdt/process/process_info.h"

enum {
	ANSWER_MS = 1000, /* for all VMs to say what they are */
	STEP_MS = 10,     /* between two looks whether they have */
	CONNECT_MS = 50,  /* for a VM that accepts nobody */
	RUNTIME_MAX = 128
};

/* A VM as it is shown. */
struct vm {
	struct process_info process;
	char runtime[RUNTIME_MAX];      /* "": it does not answer */
	char path[CONNECTION_PATH_MAX]; /* of its socket */
	double up;                      /* seconds */
	size_t listeners;
	struct source *asked; /* NULL: it has answered, or cannot */
};

struct vms {
	struct vm *items;
	size_t count;
};

static void help(void)
{
	printf("Usage: vmtap ps [OPTION]...\n"
	       "Shows the VMs that serve an event stream, which -p of trace and record takes: "
	       "those\n"
	       "of this user or, for root, of all users.\n\n"
	       "      --json  as a JSON array\n"
	       "  -h, --help  this text\n\n"
	       "PID        the process\n"
	       "RUNTIME    what the VM says that it is\n"
	       "UP         how long the process has been running\n"
	       "PROGRAM    its executable; (stopped) if it cannot answer\n"
	       "LISTENERS  how many clients are connected\n\n"
	       "Exit status: 0, also if there is none; 2 usage, 3 cannot.\n");
}

/* Seconds since the process started. */
static double time_up(uint32_t pid)
{
	uint64_t started = process_info_started(pid);
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	if (!started)
		return 0;
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9 -
		(double)started / (double)sysconf(_SC_CLK_TCK);
}

/* Fills in a VM. False: the process serves no stream. */
static bool examine(uint32_t pid, struct vm *vm)
{
	struct connection connection = {.fd = -1};
	struct error error;

	*vm = (struct vm){.up = time_up(pid)};
	if (process_info_read(pid, &vm->process, &error) || vm->process.exited)
		return false;
	/* A stopped VM's socket accepts connections all the same. */
	if (endpoint_connect(&vm->process, CONNECT_MS, &connection.fd, &error))
		return vm->process.stopped && listener_is_marked(pid);
	connection_path(&connection, vm->path);
	vm->listeners = listener_connections(pid, vm->path);
	vm->listeners -= vm->listeners > 0; /* this one */
	connection_close(&connection);
	if (!vm->process.stopped && source_stream_ask(pid, &vm->asked, &error))
		vm->asked = NULL;
	return true;
}

static int add(struct vms *vms, uint32_t pid)
{
	struct vm *grown = realloc(vms->items, (vms->count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	vms->items = grown;
	if (examine(pid, &grown[vms->count]))
		vms->count++;
	return 0;
}

static int compare(const void *one, const void *other)
{
	uint32_t left = ((const struct vm *)one)->process.pid,
		 right = ((const struct vm *)other)->process.pid;

	return (left > right) - (left < right);
}

/* Takes what the VMs say that they are. All have the same time. */
static void take_answers(struct vms *vms)
{
	const int64_t limit = connection_now() + ANSWER_MS;
	bool is_over = false;

	while (!is_over) {
		struct pollfd wait = {.fd = -1, .events = POLLIN};
		is_over = connection_now() >= limit;
		for (size_t i = 0; i < vms->count; i++) {
			struct vm *vm = &vms->items[i];
			if (!vm->asked)
				continue;
			if (source_stream_answer(
				    vm->asked, vm->runtime, sizeof(vm->runtime), NULL) == -EAGAIN &&
				!is_over) {
				wait.fd = source_descriptor(vm->asked);
				continue;
			}
			source_close(vm->asked);
			vm->asked = NULL;
		}
		if (wait.fd < 0)
			return;
		poll(&wait, 1, STEP_MS);
	}
}

static int find_all(struct vms *vms, struct error *error)
{
	struct finder *finder;
	uint32_t pid;
	int result = finder_new(&finder, error);

	while (!result && finder_next(finder, &pid))
		if (add(vms, pid))
			result = error_set(error, ENOMEM, "out of memory");
	finder_free(finder);
	take_answers(vms);
	if (vms->count)
		qsort(vms->items, vms->count, sizeof(*vms->items), compare);
	return result;
}

/* "41s", "12m05s", "3h07m", "2d04h" */
static const char *up_text(double up, char *text, size_t size)
{
	unsigned long seconds = up > 0 ? (unsigned long)up : 0;

	if (seconds < 60)
		snprintf(text, size, "%lus", seconds);
	else if (seconds < 3600)
		snprintf(text, size, "%lum%02lus", seconds / 60, seconds % 60);
	else if (seconds < 86400)
		snprintf(text, size, "%luh%02lum", seconds / 3600, seconds / 60 % 60);
	else
		snprintf(text, size, "%lud%02luh", seconds / 86400, seconds / 3600 % 24);
	return text;
}

static void print_table(const struct vms *vms)
{
	int runtime = (int)strlen("RUNTIME"), program = (int)strlen("PROGRAM");
	char up[64];

	for (size_t i = 0; i < vms->count; i++) {
		int length = (int)strlen(vms->items[i].runtime);
		runtime = length > runtime ? length : runtime;
		length = (int)strlen(vms->items[i].process.program) +
			(vms->items[i].process.stopped ? (int)strlen(" (stopped)") : 0);
		program = length > program ? length : program;
	}
	printf("%7s %-*s %7s %-*s %s\n", "PID", runtime, "RUNTIME", "UP", program, "PROGRAM",
		"LISTENERS");
	for (size_t i = 0; i < vms->count; i++) {
		const struct vm *vm = &vms->items[i];
		char line[RUNTIME_MAX + sizeof(vm->process.program) + 128];
		char name[sizeof(vm->process.program) + 16];
		snprintf(name, sizeof(name), "%s%s", vm->process.program,
			vm->process.stopped ? " (stopped)" : "");
		snprintf(line, sizeof(line), "%7" PRIu32 " %-*s %7s %-*s %9zu", vm->process.pid,
			runtime, vm->runtime[0] ? vm->runtime : "-",
			up_text(vm->up, up, sizeof(up)), program, name, vm->listeners);
		probes_print(line);
		putchar('\n');
	}
}

static void print_json(const struct vms *vms)
{
	json_t *root = json_array();

	for (size_t i = 0; i < vms->count; i++) {
		const struct vm *vm = &vms->items[i];
		json_t *item = json_object();
		json_object_set_new(item, "pid", json_integer((json_int_t)vm->process.pid));
		json_object_set_new(item, "runtime",
			vm->runtime[0] ? probes_json_text(vm->runtime) : json_null());
		json_object_set_new(item, "up_seconds", json_integer((json_int_t)vm->up));
		json_object_set_new(item, "program", probes_json_text(vm->process.program));
		json_object_set_new(item, "listeners", json_integer((json_int_t)vm->listeners));
		json_object_set_new(item, "stopped", json_boolean(vm->process.stopped));
		json_object_set_new(item, "uid", json_integer((json_int_t)vm->process.owner));
		json_object_set_new(
			item, "socket", vm->path[0] ? probes_json_text(vm->path) : json_null());
		json_array_append_new(root, item);
	}
	probes_json_print(root);
}

int command_ps(int argc, char **argv)
{
	enum { OPTION_JSON = 256 };
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"json", no_argument, NULL, OPTION_JSON},
		{NULL, 0, NULL, 0},
	};
	struct vms vms = {0};
	struct error error;
	bool json = false;
	int option, status = CLI_OK;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h') {
			help();
			return CLI_OK;
		}
		if (option != OPTION_JSON)
			return cli_option_refused("ps", option, argv, options);
		json = true;
	}
	if (optind < argc)
		return cli_usage("ps", "'%s' is one operand too many", argv[optind]);
	sweep_sockets(NULL);
	if (find_all(&vms, &error)) {
		cli_message("%s", error.text);
		status = CLI_CANNOT;
	} else if (json) {
		print_json(&vms);
	} else {
		print_table(&vms);
	}
	free(vms.items);
	return probes_finish(status);
}
