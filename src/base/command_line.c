/* command_line.c: see command_line.h. */
#include "base/command_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void command_line_join(char *text, size_t size, const char *words, size_t length)
{
	if (length >= size)
		length = size - 1;
	while (length && !words[length - 1])
		length--;
	for (size_t i = 0; i < length; i++)
		text[i] = words[i] ? words[i] : ' ';
	text[length] = '\0';
}

void command_line_read(char *text, size_t size, uint32_t pid)
{
	char path[64] = "/proc/self/cmdline";
	size_t length = 0;
	FILE *file;

	if (pid)
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cmdline", pid);
	file = fopen(path, "re");
	if (file) {
		length = fread(text, 1, size - 1, file);
		fclose(file);
	}
	command_line_join(text, size, text, length);
}
