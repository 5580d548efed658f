/* call_probes.c: see call_probes.h. */
#include "usdt/process/call_probes.h"

#include <string.h>

#include "base/error.h"
#include "usdt/elf/image.h"
#include "usdt/process/process_images.h"

/* A provider and its probe of a call; its probe of a return has the same name with "return". */
static const struct {
	const char *provider, *entry;
} rows[] = {
	{"vm", "method-entry"},
	{"ruby", "method-entry"},
	{"python", "function-entry"},
	{"php", "function-entry"},
	{"hotspot", "method-entry"},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

const char *call_probes_entry(const char *provider)
{
	size_t row = 0;

	while (row + 1 < ROWS && strcmp(rows[row].provider, provider) != 0)
		row++;
	return rows[row].entry;
}

const char *call_probes_of_image(const struct usdt_image *image)
{
	for (size_t i = 0; i < image->site_count; i++)
		for (size_t row = 0; row < ROWS; row++)
			if (!strcmp(image->sites[i].name, rows[row].entry) &&
				!strcmp(image->sites[i].provider, rows[row].provider))
				return rows[row].provider;
	return NULL;
}

const char *call_probes_of_process(uint32_t pid)
{
	struct usdt_process *process;
	const char *provider = NULL;
	struct error ignored;

	if (usdt_process_open((pid_t)pid, &process, &ignored))
		return NULL;
	for (size_t i = 0; i < process->object_count && !provider; i++)
		if (process->objects[i].image)
			provider = call_probes_of_image(process->objects[i].image);
	usdt_process_free(process);
	return provider;
}
