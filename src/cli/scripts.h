/* scripts.h: the scripts of probes/scripts, built into the command. */
#ifndef VMTAP_CLI_SCRIPTS_H
#define VMTAP_CLI_SCRIPTS_H

#include <stddef.h>

struct bundled_script {
	const char *name; /* without ".d" */
	const char *text;
	size_t length;
};

/* Made by src/base/tools/embed.c, in the order of their names. */
extern const struct bundled_script bundled_scripts[];
extern const size_t bundled_script_count;

/* NULL when there is none of that name; a trailing ".d" is allowed. */
const struct bundled_script *scripts_find(const char *name);

#endif
