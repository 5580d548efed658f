/*
 * cli.h: what the verbs of the vmtap command share. Each verb has one file, which exports one
 * command_VERB() function. It parses its own options with getopt_long and returns the exit status.
 * Messages go to standard error and begin with "vmtap: ", or with "dtrace: " where DTrace has the
 * same message.
 */
#ifndef VMTAP_CLI_CLI_H
#define VMTAP_CLI_CLI_H

#include <stdbool.h>
#include <stdint.h>

enum {
	CLI_OK = 0,
	CLI_FOUND = 1, /* a finding, a difference, or an error in a script */
	CLI_USAGE = 2,
	CLI_CANNOT = 3, /* the file, process or system does not allow it */
	/* Nobody reads the output any more: what a shell shows of a program that SIGPIPE ends. */
	CLI_UNREAD = 141
};

int command_list(int argc, char **argv);
int command_check(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_ps(int argc, char **argv);
int command_scripts(int argc, char **argv);
int command_record(int argc, char **argv);
int command_log(int argc, char **argv);
int command_generate(int argc, char **argv);
int command_export(int argc, char **argv);
int command_flame(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_heap(int argc, char **argv);
int command_top(int argc, char **argv);
int command_dump(int argc, char **argv);
int command_run(int argc, char **argv);

void cli_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says that memory has run out; returns CLI_CANNOT. */
int cli_out_of_memory(void);

/* Whether it is a terminal that can do more than print lines: TERM is not dumb. */
bool cli_is_screen(int descriptor);

/* Prints what is wrong with the options and where to find help; returns CLI_USAGE. */
int cli_usage(const char *verb, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Reports what getopt_long() has just rejected. result is ':' or '?' (the option string must begin
 * with ':'): an option without its argument, an option that takes no argument but was given one, or
 * an unknown option. For that, one of the verb's long options (options) may be suggested. Returns
 * CLI_USAGE.
 */
struct option;
int cli_option_refused(const char *verb, int result, char **argv, const struct option *options);

/*
 * For verbs that pass on a command line to `vmtap trace`: if the word at *index is this long option
 * (--name VALUE, --name=VALUE), its value, and *index is moved on. NULL: it is another word, or the
 * value is missing.
 */
const char *cli_word_value(const char *name, int argc, char **argv, int *index, bool *is_missing);

/* Parses the number of an option, from 1 to limit. CLI_OK, or CLI_USAGE after a message. */
int cli_number(
	const char *verb, const char *option, const char *text, uint64_t limit, uint64_t *number);

/* The path for an input file on the command line: "-" is the standard input. */
const char *cli_input(const char *name);

/*
 * Parses a process on the command line: a pid, or the name of the only process that has it. Returns
 * CLI_OK; or prints why it is none, or which processes have the name, and returns another status.
 */
int cli_pid(const char *verb, const char *text, uint32_t *pid);

/* Returns whether an operand is a pid: one or more digits and nothing else. Names of files begin
 * with
 * "./" then. */
bool cli_is_pid(const char *operand);

enum { CLI_PID_TEXT = 12 };

/* The same, with the pid as text, for a verb that passes it on. */
int cli_pid_text(const char *verb, const char *text, char digits[CLI_PID_TEXT]);

/* If an operand is no recording and no pid, but a process has that name, or runs a script of that
 * name, says how it is given, and returns true. */
bool cli_is_name(const char *operand);

#endif
