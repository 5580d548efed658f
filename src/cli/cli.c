/* cli.c: see cli.h. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>

void cli_message(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("vmtap: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

int cli_usage(const char *verb, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "vmtap %s: ", verb);
	vfprintf(stderr, format, arguments);
	fprintf(stderr, "\nTry 'vmtap %s --help'.\n", verb);
	va_end(arguments);
	return CLI_USAGE;
}
