/*
 * ps.c: `vmtap ps`: the VMs that serve an event stream now, of this user or, for root, of all.
 * Sockets that dead processes have left are removed on the way.
 */
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/probes.h"
#include "targets/find/vm_list.h"

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

static void print_table(const struct vm_list *vms)
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
		const struct vm_listed *vm = &vms->items[i];
		char line[VM_LIST_RUNTIME_MAX + sizeof(vm->process.program) + 128];
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

static void print_json(const struct vm_list *vms)
{
	json_t *root = json_array();

	for (size_t i = 0; i < vms->count; i++) {
		const struct vm_listed *vm = &vms->items[i];
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
	struct vm_list vms;
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
	if (vm_list_read(&vms, &error)) {
		cli_message("%s", error.text);
		status = CLI_CANNOT;
	} else if (json) {
		print_json(&vms);
	} else {
		print_table(&vms);
	}
	fflush(stdout);
	for (size_t i = 0; i < vms.count; i++)
		if (*vms.items[i].message)
			cli_message("process %" PRIu32 " (%s): %s", vms.items[i].process.pid,
				vms.items[i].process.name, vms.items[i].message);
	vm_list_free(&vms);
	return probes_finish(status);
}
