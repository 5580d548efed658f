/*
 * runtime_modules.h: how runtimes that nobody has prepared come to load vmtap's modules: by the
 * environment variables that each of them reads when it starts. What the user has set in them still
 * holds. Other programs ignore these variables; a runtime of another version, or one whose module
 * cannot be loaded, runs as without it.
 */
#ifndef VMTAP_TARGETS_RUNTIME_MODULES_H
#define VMTAP_TARGETS_RUNTIME_MODULES_H

#include <stddef.h>

enum { RUNTIME_MODULES_MAX = 8 };

/* A variable that a runtime reads. */
struct runtime_setting {
	const char *runtime;  /* "lua5.4" */
	const char *variable; /* its name */
	char *value;
};

struct runtime_settings {
	struct runtime_setting items[RUNTIME_MODULES_MAX];
	size_t count;
};

/*
 * The folder of the modules: VMTAP_MODULES, or the one that belongs to this executable, which is
 * "modules" beside it or "../lib/vmtap". The caller frees it. NULL: there is no such folder, or no
 * memory.
 */
char *runtime_modules_folder(void);

/*
 * Collects the settings for the modules that a folder contains, from this process's environment.
 * Those that are already set are left out. Free them with runtime_modules_free(), also after an
 * error. Returns the number of modules that the folder contains, or -ENOMEM.
 */
int runtime_modules_collect(const char *folder, struct runtime_settings *settings);

void runtime_modules_free(struct runtime_settings *settings);

#endif
