/*
 * eventlog_carried.c: the definitions of providers that a stream carries (wire/wire.h), for
 * scripts. Objects of one process may have been made from several versions of a definition;
 * contracts grow, so the longest is the newest.
 */
#include <stdlib.h>
#include <string.h>

#include "source/eventlog_private.h"
#include "wire/wire.h"

/* Puts together the lines of a definition, without their marks. Returns its length. */
static size_t put_lines(char *text, const char *extension, size_t length)
{
	const size_t mark = strlen(WIRE_LIBRARY);
	const char *end = extension + length;
	size_t used = 0;

	for (const char *line = extension, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		next = newline ? newline + 1 : end;
		if ((size_t)(next - line) < mark || memcmp(line, WIRE_LIBRARY, mark) != 0)
			continue;
		memcpy(text + used, line + mark, (size_t)(next - line) - mark);
		used += (size_t)(next - line) - mark;
	}
	text[used] = '\0';
	return strlen(text);
}

bool eventlog_take_carried(struct eventlog *log, const struct plan *plan, const char *extension,
	size_t length, uint64_t position)
{
	struct d_carried *carried = log->carried;
	char *text = NULL, *name = NULL;
	size_t i = 0, used;

	if (!length || length > WIRE_LIBRARY_MAX + (size_t)UINT16_MAX)
		return true;
	text = malloc(length + 1);
	if (!text)
		return eventlog_damaged(log, position, "out of memory");
	used = put_lines(text, extension, length);
	while (i < log->carried_count && strcmp(carried[i].name, plan->provider) != 0)
		i++;
	if (!used || used > WIRE_LIBRARY_MAX || i == EVENTLOG_PROVIDERS_MAX || log->settled ||
		(i < log->carried_count && carried[i].length >= used)) {
		free(text);
		return true;
	}
	name = strdup(plan->provider);
	if (!name) {
		free(text);
		return eventlog_damaged(log, position, "out of memory");
	}
	if (i == log->carried_count)
		log->carried_count++;
	free((char *)carried[i].name);
	free((char *)carried[i].text);
	carried[i] = (struct d_carried){.name = name, .text = text, .length = used};
	return true;
}

const struct d_carried *eventlog_carried(const struct eventlog *log, size_t *count)
{
	*count = log->carried_count;
	return log->carried;
}

void eventlog_free_carried(struct eventlog *log)
{
	for (size_t i = 0; i < log->carried_count; i++) {
		free((char *)log->carried[i].name);
		free((char *)log->carried[i].text);
	}
}
