/* error.c: see error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int error_set(struct error *error, int number, const char *format, ...)
{
	if (error) {
		va_list arguments;
		va_start(arguments, format);
		vsnprintf(error->text, sizeof(error->text), format, arguments);
		va_end(arguments);
		for (char *c = error->text; *c; c++)
			if ((unsigned char)*c < 0x20 || *c == 0x7f)
				*c = '?';
	}
	return -number;
}
