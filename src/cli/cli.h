/*
 * cli.h: what the verbs of the vmtap command share. A verb is one file, exports one
 * command_VERB() that parses its own options with getopt_long and returns the exit
 * status. Messages go to standard error and begin with "vmtap: " (with "dtrace: " where
 * DTrace has words for it).
 */
#ifndef VMTAP_CLI_CLI_H
#define VMTAP_CLI_CLI_H

#include <stdint.h>

enum {
	CLI_OK = 0,
	CLI_FOUND = 1, /* a finding, a difference, or an error in a script */
	CLI_USAGE = 2,
	CLI_CANNOT = 3 /* the file, process or system does not allow it */
};

int command_list(int argc, char **argv);
int command_check(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_scripts(int argc, char **argv);
int command_record(int argc, char **argv);
int command_log(int argc, char **argv);

void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says what is wrong with the options and where to look; returns CLI_USAGE. */
int cli_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * What getopt_long() has just refused, ':' or '?' (its letters begin with ':'): an option without
 * its argument, one with an argument that takes none, or no option at all. Returns CLI_USAGE.
 */
int cli_option_refused(const char *verb, int result, char **argv);

/* A file of the command line that is read: "-" is the standard input. */
const char *cli_input(const char *name);

/* A pid of the command line. CLI_OK, or says that it is none and returns CLI_USAGE. */
int cli_pid(const char *verb, const char *text, uint32_t *pid);

#endif
