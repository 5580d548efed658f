/* process_stat.c: see process_stat.h. */
#include "base/process_stat.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *process_stat_read(uint32_t pid, char text[PROCESS_STAT_BYTES])
{
	const char *end;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	text[fread(text, 1, PROCESS_STAT_BYTES - 1, file)] = '\0';
	fclose(file);
	end = strrchr(text, ')');
	return end ? end + 1 : NULL;
}

bool process_status_value(uint32_t pid, const char *name, char *value, size_t size)
{
	const size_t length = strlen(name);
	char path[64], line[4096];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = !strncmp(line, name, length) && !strncmp(line + length, ":\t", 2);
	if (file)
		fclose(file);
	if (!found)
		return false;
	line[strcspn(line, "\n")] = '\0';
	snprintf(value, size, "%s", line + length + 2);
	return true;
}
