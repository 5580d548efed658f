/* debug.c: see debug.h. */
#include "base/debug.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/debug_line.h"

static const struct {
	const char *name, *tells;
} parts[DEBUG_PART_COUNT] = {
#define DEBUG_PART(constant, name, tells) {name, tells},
	DEBUG_PARTS(DEBUG_PART)
#undef DEBUG_PART
};

static uint32_t enabled; /* a bit for each part; set once, before anything else runs */

static int find_part(const char *name, size_t length)
{
	for (int i = 0; i < DEBUG_PART_COUNT; i++)
		if (strlen(parts[i].name) == length && !memcmp(parts[i].name, name, length))
			return i;
	return -1;
}

int debug_start(void)
{
	const char *at = secure_getenv("VMTAP_DEBUG");

	if (!at)
		return 0;
	if (!strcmp(at, "help")) {
		for (int i = 0; i < DEBUG_PART_COUNT; i++)
			printf("%-10s %s\n", parts[i].name, parts[i].tells);
		return 1;
	}
	while (*at) {
		size_t length = strcspn(at, ",");
		int part = find_part(at, length);
		if (part < 0 && length) {
			fprintf(stderr,
				"vmtap: VMTAP_DEBUG: no part is called '%.*s' (VMTAP_DEBUG=help "
				"lists "
				"them)\n",
				(int)length, at);
			return -EINVAL;
		}
		if (part >= 0)
			enabled |= UINT32_C(1) << part;
		at += length;
		at += *at == ',';
	}
	return 0;
}

static bool debug_is_on(enum debug_part part)
{
	return enabled >> part & 1;
}

void debug_say(enum debug_part part, const char *format, ...)
{
	char line[DEBUG_LINE_MAX];
	int saved = errno;
	size_t length;
	va_list arguments;

	if (!debug_is_on(part))
		return;
	length = (size_t)snprintf(line, sizeof(line), "vmtap: %s: ", parts[part].name);
	va_start(arguments, format);
	vsnprintf(line + length, sizeof(line) - length, format, arguments);
	va_end(arguments);
	debug_line(line);
	errno = saved;
}
