/* vm_name.c: see vm_name.h. */
#include "targets/find/vm_name.h"

#include <string.h>

#include "usdt/process/process_info.h"

bool vm_name_is_process(const char *name, const struct process_info *process)
{
	return !strcmp(process->name, name) || !strcmp(process->program, name);
}

bool vm_name_is_runtime(const char *name, const char *runtime)
{
	const size_t length = strlen(name);

	return length && !strncmp(runtime, name, length) &&
		(!runtime[length] || runtime[length] == ' ' || runtime[length] == '-');
}
