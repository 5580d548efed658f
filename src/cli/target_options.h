/*
 * target_options.h: the options that say what a verb is to show, which are the same in every verb:
 * -p, -c, --socket, --follow, --wait, --via and --log. Which of them a verb takes, and which of
 * them go together, target_spec_check() decides afterwards.
 */
#ifndef VMTAP_CLI_TARGET_OPTIONS_H
#define VMTAP_CLI_TARGET_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

struct target_spec;

enum target_option {
	TARGET_OPTION_FOLLOW = 1000, /* above the numbers of verbs' own options */
	TARGET_OPTION_WAIT,
	TARGET_OPTION_SOCKET,
	TARGET_OPTION_VIA,
	TARGET_OPTION_LOG
};

/* Rows of a verb's table for getopt_long(); -p and -c are letters of its own. */
#define TARGET_OPTIONS                                                                             \
	{"follow", no_argument, NULL, TARGET_OPTION_FOLLOW},                                       \
		{"wait", required_argument, NULL, TARGET_OPTION_WAIT},                             \
		{"socket", required_argument, NULL, TARGET_OPTION_SOCKET},                         \
		{"via", required_argument, NULL, TARGET_OPTION_VIA},                               \
	{                                                                                          \
		"log", required_argument, NULL, TARGET_OPTION_LOG                                  \
	}

/*
 * Takes what getopt_long() has returned into the specification. Returns false if it is none of
 * these options; otherwise *status is CLI_OK, or an exit status after a message. The argument must
 * outlive the specification.
 */
bool target_options_take(
	const char *verb, struct target_spec *spec, int option, const char *argument, int *status);

/* Adds a process by its pid or name. Returns CLI_OK, or another status after a message. */
int target_options_process(const char *verb, struct target_spec *spec, const char *text);

/* Adds the command whose words follow "--". Returns CLI_OK, or another status after a message. */
int target_options_command(const char *verb, struct target_spec *spec, char **words);

/* Says that no VM of that name (--wait) runs yet, and if a process does that is no VM, how it is
 * shown. */
void target_options_waiting(const char *name);

#endif
