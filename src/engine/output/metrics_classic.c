/* metrics_classic.c: see metrics_classic.h. */
#include "engine/output/metrics_classic.h"

#include <stdbool.h>
#include <string.h>

static bool begins_with(const char *line, size_t size, const char *prefix)
{
	size_t length = strlen(prefix);

	return size >= length && !memcmp(line, prefix, length);
}

/* "# TYPE name counter" and "# HELP name text": the name of a counter ends in _total here. */
static void print_comment(const char *line, size_t size, bool is_counter, FILE *output)
{
	const char *name = line + strlen("# TYPE ");
	const char *end = memchr(name, ' ', size - (size_t)(name - line));
	size_t before = end ? (size_t)(end - line) : size;

	fwrite(line, 1, before, output);
	if (is_counter)
		fputs("_total", output);
	fwrite(line + before, 1, size - before, output);
}

void metrics_classic_print(const char *page, size_t size, FILE *output)
{
	const char *end = page + size, *next;
	bool is_counter = false;

	for (const char *line = page; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		size_t length;

		next = newline ? newline + 1 : end;
		length = (size_t)(next - line);
		if (*line != '#') {
			fwrite(line, 1, length, output);
			continue;
		}
		if (begins_with(line, length, "# TYPE "))
			is_counter = length > strlen(" counter\n") &&
				!memcmp(next - strlen(" counter\n"), " counter\n",
					strlen(" counter\n"));
		else if (!begins_with(line, length, "# HELP "))
			continue; /* UNIT and EOF */
		print_comment(line, length, is_counter, output);
	}
}
