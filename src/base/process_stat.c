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
