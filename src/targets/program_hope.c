/*
 * program_hope.c: see program_hope.h. Whatever is not known, as of a script or a program that is
 * linked statically, may serve.
 */
#include "targets/program_hope.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/debug.h"
#include "base/error.h"
#include "usdt/elf/image.h"
#include "usdt/elf/imports.h"
#include "usdt/elf/needed.h"

/* With these, code comes into a process that its files do not show. */
static const char *const loaders[] = {"dlopen", "dlmopen", "execl", "execle", "execlp", "execv",
	"execve", "execveat", "execvp", "execvpe", "fexecve", NULL};

struct hope {
	size_t files;
	bool has_runtime;
	bool loads; /* or it is not known */
};

bool program_file_has_runtime(const char *path)
{
	struct usdt_image *image;
	struct error ignored;
	bool has_runtime;

	if (usdt_image_open(path, NULL, &image, &ignored))
		return false;
	has_runtime = image->has_runtime;
	for (size_t i = 0; i < image->site_count && !has_runtime; i++)
		has_runtime = !strcmp(image->sites[i].provider, "vm");
	usdt_image_free(image);
	return has_runtime;
}

static void read_file(void *context, const char *path)
{
	struct hope *hope = context;

	hope->files++;
	hope->loads |= usdt_imports(path, loaders) != 0;
	hope->has_runtime |= program_file_has_runtime(path);
}

static struct hope read_program(const char *path)
{
	struct hope hope = {0};

	/* what is linked statically imports nothing, and may do anything */
	if (!usdt_needed_each(path, read_file, &hope) || hope.files < 2)
		hope.loads = true;
	/* a library that is loaded before all others may contain the runtime */
	if (getenv("LD_PRELOAD") || !access("/etc/ld.so.preload", F_OK))
		hope.loads = true;
	return hope;
}

bool program_has_runtime(const char *name)
{
	char path[PATH_MAX];

	return usdt_needed_program(name, path) && read_program(path).has_runtime;
}

bool program_may_serve(const char *name)
{
	char path[PATH_MAX];
	struct hope hope;

	if (!usdt_needed_program(name, path))
		return true;
	hope = read_program(path);
	debug_say(DEBUG_TARGET, "%s %s", path,
		hope.has_runtime     ? "contains the runtime"
			: hope.loads ? "may load or execute a VM"
				     : "neither is a VM nor loads or executes one");
	return hope.has_runtime || hope.loads;
}

bool program_of_process(uint32_t pid, char path[PATH_MAX])
{
	char link[32];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", pid);
	length = readlink(link, path, PATH_MAX - 1);
	path[length > 0 ? length : 0] = '\0';
	return length > 0;
}
