/*
 * diff_report.h: the differences that `vmtap diff` finds, of two builds or of provider definitions:
 * a line each, or JSON.
 */
#ifndef VMTAP_CLI_DIFF_REPORT_H
#define VMTAP_CLI_DIFF_REPORT_H

#include <jansson.h>
#include <stddef.h>

struct diff_report {
	json_t *changes; /* NULL: lines on standard output */
	size_t count;    /* all differences */
	size_t added;    /* those among them that are "added" */
};

/*
 * One difference. kind is "added", "removed" or "changed"; what says what has changed
 * ("arguments"), else NULL. probe may be "": the provider as a whole.
 */
void diff_report(struct diff_report *report, const char *kind, const char *provider,
	const char *probe, const char *what, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* Whether a command-line argument names a provider's definition. */
int diff_is_contract(const char *argument);

/*
 * Compares a provider's definition with a later one, or with a binary or process that is to keep
 * its promises; the arguments of the command line. An exit status: CLI_OK, or CLI_CANNOT after a
 * message.
 */
int diff_contract(struct diff_report *report, const char *old, const char *new);

#endif
