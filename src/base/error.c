/* error.c: see error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clean_text.h"

int error_set(struct error *error, int number, const char *format, ...)
{
	if (error) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(error->text, sizeof(error->text), format, arguments);
		va_end(arguments);
		clean_text(
			error->text, sizeof(error->text), error->text, strlen(error->text), false);
	}
	return -number;
}
