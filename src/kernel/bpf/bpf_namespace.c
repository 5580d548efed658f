/*
 * bpf_namespace.c: see bpf_namespace.h. The namespace's inode is in /proc; its level only in the
 * kernel's memory, from where a program that runs once reads it.
 */
#include "kernel/bpf/bpf_namespace.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/debug.h"
#include "base/error.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/bpf/task_layout.h"

#define INITIAL_PID_NAMESPACE UINT64_C(0xEFFFFFFC) /* inode of the kernel's own */

enum { PLACE = -8 /* on the program's stack */ };

/* Returns the level of the thread that runs the program, our own. Only the kernel's memory has it,
 * since a process is not shown what contains its namespace. */
static uint32_t find_level(const struct kernel_number_layout *layout)
{
	struct bpf_code code;
	struct error error;
	uint32_t level = 0;
	int program = -1;

	bpf_code_begin(&code);
	bpf_call(&code, BPF_FUNC_get_current_task);
	bpf_move(&code, BPF_REG_3, BPF_REG_0);
	bpf_read_kernel(&code, BPF_REG_3, layout->thread, 8, PLACE);
	bpf_read_kernel(&code, BPF_REG_3, layout->level, 4, PLACE);
	bpf_move(&code, BPF_REG_0, BPF_REG_3);
	bpf_exit(&code);
	if (!bpf_code_end(&code))
		program = bpf_load(code.instructions, code.count, BPF_RAW, &error);
	bpf_code_free(&code);
	if (program < 0)
		return 0;
	if (bpf_run(program, &level))
		level = 0;
	close(program);
	return level;
}

void bpf_namespace_find(struct bpf_features *features)
{
	struct kernel_layout layout;
	struct stat status;

	features->other_namespace = false;
	if (stat("/proc/self/ns/pid", &status) || status.st_ino == INITIAL_PID_NAMESPACE)
		return;
	features->other_namespace = true;
	features->namespace_device = status.st_dev;
	features->namespace_inode = status.st_ino;
	kernel_layout_find(&layout);
	features->namespace_level = layout.number.is_known ? find_level(&layout.number) : 0;
	if (features->namespace_level)
		features->numbers = layout.number;
	debug_say(DEBUG_KERNEL, "pid namespace at level %u", features->namespace_level);
}
