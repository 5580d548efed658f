/* target_options.c: see target_options.h. */
#include "cli/target_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "targets/find/listener.h"
#include "targets/target_spec.h"
#include "usdt/process/process_names.h"

/* A process named twice would deliver its events twice, so that is refused. */
int target_options_process(const char *verb, struct target_spec *spec, const char *text)
{
	uint32_t pid;
	int status = cli_pid(verb, text, &pid);

	if (status)
		return status;
	switch (target_spec_add_pid(spec, pid)) {
	case 0:
		return CLI_OK;
	case -EEXIST:
		return cli_usage(verb, "-p %s is given twice", text);
	default:
		return cli_out_of_memory();
	}
}

static int add_command(const char *verb, struct target_spec *spec, const char *text)
{
	struct command_words command;
	struct error error;
	int status = command_words_split(&command, text, &error);

	if (status)
		return status == -ENOMEM ? cli_out_of_memory()
					 : cli_usage(verb, "-c: %s", error.text);
	if (!target_spec_add_command(spec, command))
		return CLI_OK;
	command_words_free(&command);
	return cli_out_of_memory();
}

int target_options_command(const char *verb, struct target_spec *spec, char **words)
{
	if (spec->count)
		return cli_usage(verb, "'%s' is one operand too many", *words);
	return target_spec_add_command(spec, command_words_of(words)) ? cli_out_of_memory()
								      : CLI_OK;
}

static int set_name(const char *verb, struct target_spec *spec, const char *name)
{
	if (!*name)
		return cli_usage(verb, "--wait needs the name of a program or a runtime");
	if (spec->name)
		return cli_usage(verb, "--wait is given twice: one name at a time");
	spec->name = name;
	return CLI_OK;
}

static int set_log(const char *verb, struct target_spec *spec, const char *name)
{
	if (spec->log)
		return cli_usage(verb, "--log is given twice: one recording at a time");
	spec->log = cli_input(name);
	return CLI_OK;
}

static int choose_via(const char *verb, struct target_spec *spec, const char *name)
{
	static const char *const names[] = {[TARGET_VIA_AUTO] = "auto",
		[TARGET_VIA_STREAM] = "stream",
		[TARGET_VIA_KERNEL] = "kernel"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name)) {
			spec->via = (enum target_via)i;
			return CLI_OK;
		}
	return cli_usage(verb, "--via %s: it is auto, stream or kernel", name);
}

bool target_options_take(
	const char *verb, struct target_spec *spec, int option, const char *argument, int *status)
{
	*status = CLI_OK;
	switch (option) {
	case 'p':
		*status = target_options_process(verb, spec, argument);
		return true;
	case 'c':
		*status = add_command(verb, spec, argument);
		return true;
	case TARGET_OPTION_SOCKET:
		*status = target_spec_add_socket(spec, argument) ? cli_out_of_memory() : CLI_OK;
		return true;
	case TARGET_OPTION_FOLLOW:
		spec->follows = true;
		return true;
	case TARGET_OPTION_WAIT:
		*status = set_name(verb, spec, argument);
		return true;
	case TARGET_OPTION_VIA:
		*status = choose_via(verb, spec, argument);
		return true;
	case TARGET_OPTION_LOG:
		*status = set_log(verb, spec, argument);
		return true;
	default:
		return false;
	}
}

void target_options_waiting(const char *name)
{
	uint32_t pid;

	if (process_names_find(name, &pid, 1) && !listener_is_marked(pid))
		cli_message("waiting for '%s'; process %" PRIu32
			    " has that name, and serves no event stream: -p %" PRIu32 " takes it",
			name, pid, pid);
	else
		cli_message("waiting for '%s'", name);
}
