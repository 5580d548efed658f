/* need.c: see need.h. */
#include "program/need.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static const char *const texts[D_NEEDS] = {
	[D_NEED_NOTHING] = "",
	[D_NEED_CPU] = "the processor of an event",
	[D_NEED_OS_THREAD] = "the thread of an event",
	[D_NEED_OWNER] = "the user of the process",
	[D_NEED_CPU_TIME] = "the CPU time of threads",
	[D_NEED_CALLER] = "the address of the caller",
	[D_NEED_REGISTERS] = "the registers of the process",
	[D_NEED_ERRNO] = "the errno of system calls",
	[D_NEED_USER_STACK] = "the stack of the process",
	[D_NEED_KERNEL_STACK] = "the stack of the kernel",
	[D_NEED_GUEST_STACK] = "the stack of the guest program",
	[D_NEED_USER_SYMBOLS] = "the symbols of the process",
	[D_NEED_KERNEL_SYMBOLS] = "the symbols of the kernel",
	[D_NEED_MEMORY] = "a way to write to the memory of the process",
	[D_NEED_PROCESS] = "a process that lives",
	[D_NEED_PROGRAM_ARGUMENTS] = "the arguments of the program",
	[D_NEED_DIRECTORY] = "the directories of the process",
	[D_NEED_FILES] = "the open files of the process",
	[D_NEED_PROCESS_STATE] = "what the kernel keeps of the process",
	[D_NEED_THREAD_STATE] = "what the kernel keeps of the thread",
	[D_NEED_THREAD_ADDRESS] = "the address of the thread in the kernel",
	[D_NEED_PROCESSOR_STATE] = "the state of the processor",
	[D_NEED_OTHER_MEMORY] = "the memory of another process than the one that runs",
	[D_NEED_KERNEL_VARIABLES] = "the variables of the kernel",
	[D_NEED_KERNEL_LOCKS] = "the locks of the kernel",
	[D_NEED_KERNEL_DATA] = "the data of the kernel",
};

const char *d_need_instead(enum d_need need)
{
	return need == D_NEED_OTHER_MEMORY
		? " (of other processes, pr_fname is known; of the one that runs, "
		  "curpsinfo->pr_psargs and pr_argc)"
		: "";
}

int d_needs_add(struct d_needs *needs, enum d_need need, const char *name, const char *where)
{
	struct d_need_use *use;

	if (need == D_NEED_NOTHING || needs->set & d_need_bit(need))
		return 0;
	needs->set |= d_need_bit(need);
	if (array_room(&needs->uses, &needs->use_capacity, needs->use_count, sizeof(*needs->uses)))
		return -ENOMEM;
	use = &needs->uses[needs->use_count];
	use->need = need;
	use->name = strdup(name);
	use->where = strdup(where);
	needs->use_count++;
	return use->name && use->where ? 0 : -ENOMEM;
}

void d_needs_free(struct d_needs *needs)
{
	for (size_t i = 0; i < needs->use_count; i++) {
		free(needs->uses[i].name);
		free(needs->uses[i].where);
	}
	free(needs->uses);
	memset(needs, 0, sizeof(*needs));
}

const char *d_need_text(enum d_need need)
{
	return texts[need];
}
