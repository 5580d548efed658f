/*
 * show_stack.c: stops a process, unwinds the stack of its first thread, and prints each frame's
 * pc with its symbol, innermost first, and how the stack ends.
 *
 *   show_stack PID
 *
 * The exit status is 77 if the process may not be stopped.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unwind_end.h"
#include "usdt/process/process_symbols.h"
#include "usdt/unwind/unwind.h"

#ifdef __x86_64__

enum { FRAMES_MAX = 512, STACK_MAX = 1 << 20, RED_ZONE = 128, PT_REGS = 21 };

static uint8_t bytes[STACK_MAX];

static bool stop(pid_t pid, struct user_regs_struct *registers)
{
	return !ptrace(PTRACE_SEIZE, pid, NULL, NULL) &&
		!ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) && waitpid(pid, NULL, __WALL) == pid &&
		!ptrace(PTRACE_GETREGS, pid, NULL, registers);
}

static ssize_t copy(pid_t pid, uint64_t address)
{
	char path[64];
	ssize_t got;
	int file;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	got = pread(file, bytes, sizeof(bytes), (off_t)address);
	close(file);
	return got;
}

static void print(const struct symbol_lookup *symbols, pid_t pid, uint64_t pc, uint64_t place)
{
	struct symbol found;

	printf("0x%016" PRIx64, pc);
	if (symbols->find(symbols->context, (uint64_t)pid, place, &found))
		printf(" %s`%s", found.module, found.function ? found.function : "?");
	putchar('\n');
}

int main(int argc, char **argv)
{
	pid_t pid = argc == 2 ? atoi(argv[1]) : 0;
	struct process_symbols *symbols = process_symbols_new(NULL);
	struct user_regs_struct registers;
	struct usdt_unwind_thread thread;
	struct usdt_unwind *unwind;
	struct usdt_unwound unwound;
	uint64_t pcs[FRAMES_MAX];
	ssize_t got;

	if (pid <= 0 || !symbols || usdt_unwind_new(pid, NULL, &unwind))
		return 2;
	if (!stop(pid, &registers) || (got = copy(pid, registers.rsp - RED_ZONE)) < 0) {
		perror("show_stack");
		return errno == EPERM ? 77 : 1;
	}
	thread = (struct usdt_unwind_thread){EM_X86_64, PT_REGS, (const uint64_t *)&registers,
		registers.rsp - RED_ZONE, (size_t)got, bytes};
	unwound = usdt_unwind(unwind, &thread, pcs, FRAMES_MAX);
	for (size_t i = 0; i < unwound.count; i++)
		print(process_symbols_lookup(symbols), pid, pcs[i], i ? pcs[i] - 1 : pcs[i]);
	puts(unwind_end_text(unwound.end));
	usdt_unwind_free(unwind);
	process_symbols_free(symbols);
	return 0;
}

#else
int main(void)
{
	return 77; /* only x86-64 can be unwound */
}
#endif
