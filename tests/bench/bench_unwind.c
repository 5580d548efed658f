/*
 * bench_unwind.c: measures the unwinding of python3's stack, which has no frame pointers, over
 * copied bytes. Prints the number of frames, the ns for each frame of a stack like earlier ones,
 * and the microseconds for the first stack, which reads the files' unwind information.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tools/unwind_end.h"
#include "base/clock.h"
#include "usdt/unwind/unwind.h"

#ifdef __x86_64__

enum { STACK_MAX = 64 << 10, FRAMES_MAX = 127, ROUNDS = 20000, PT_REGS = 21 };

static const char script[] =
	"import os, signal\n"
	"def f(n):\n"
	"    return list(map(f, [n - 1])) if n else os.kill(os.getpid(), signal.SIGSTOP)\n"
	"f(5)\n";

static struct user_regs_struct registers;
static uint8_t stack[STACK_MAX];
static struct usdt_unwind_thread thread;

/* Starts python3 and copies its stack when it has stopped itself; 0: it cannot be started. */
static pid_t start(void)
{
	pid_t child = fork();
	char path[64];
	ssize_t got;
	int status, memory;

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execlp("python3", "python3", "-c", script, NULL);
		_exit(127);
	}
	/* It also stops after each exec; python3 may be a script that starts another one. */
	for (;;) {
		int number;
		if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
			return 0;
		number = WSTOPSIG(status);
		if (number == SIGSTOP)
			break;
		ptrace(PTRACE_CONT, child, NULL, number == SIGTRAP ? 0L : (long)number);
	}
	if (ptrace(PTRACE_GETREGS, child, NULL, &registers))
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)child);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	got = pread(memory, stack, sizeof(stack), (off_t)registers.rsp);
	close(memory);
	if (got <= 0)
		return 0;
	thread = (struct usdt_unwind_thread){EM_X86_64, PT_REGS, (const uint64_t *)&registers,
		registers.rsp, (size_t)got, stack};
	return child;
}

int main(void)
{
	pid_t child = start();
	uint64_t begun, first, again, pcs[FRAMES_MAX];
	struct usdt_unwind *unwind;
	struct usdt_unwound unwound;

	if (!child || usdt_unwind_new(child, NULL, &unwind)) {
		fprintf(stderr, "python3 cannot be started or stopped\n");
		return 1;
	}
	begun = clock_now(CLOCK_THREAD_CPUTIME_ID);
	unwound = usdt_unwind(unwind, &thread, pcs, FRAMES_MAX);
	first = clock_now(CLOCK_THREAD_CPUTIME_ID) - begun;
	begun = clock_now(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < ROUNDS; i++)
		unwound = usdt_unwind(unwind, &thread, pcs, FRAMES_MAX);
	again = clock_now(CLOCK_THREAD_CPUTIME_ID) - begun;
	printf("%zu %.1f %.0f\n", unwound.count, (double)again / ROUNDS / (double)unwound.count,
		(double)first / 1000);
	usdt_unwind_free(unwind);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	if (unwound.end != USDT_UNWIND_OUTERMOST) {
		fprintf(stderr, "python3's stack: %s\n", unwind_end_text(unwound.end));
		return 1;
	}
	return 0;
}

#else
int main(void)
{
	fprintf(stderr, "only x86-64 can be unwound\n");
	return 1;
}
#endif
