/*
 * stack_target.c: a program with a known stack: main, outer, middle, qsort, compare and inner,
 * which prints "ready" and waits. With the argument "jit" a function is called through code made
 * at run time, which /tmp/perf-PID.map names; the file is removed when the program ends by
 * SIGTERM.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

typedef void thunk(void (*function)(void));

static volatile int calls; /* keeps calls from being the last thing a function does */
static char map[64];

static void on_end(int number)
{
	(void)number;
	if (*map)
		unlink(map);
	_exit(0);
}

static NOINLINE void inner(void)
{
	if (calls++ == 0 && write(1, "ready\n", 6) == 6)
		for (;;)
			pause();
	calls++;
}

static NOINLINE int compare(const void *a, const void *b)
{
	int result = *(const int *)a - *(const int *)b;

	inner();
	calls++;
	return result;
}

static NOINLINE void middle(int count)
{
	int numbers[] = {3, 1, 2};

	qsort(numbers, (size_t)count, sizeof(numbers[0]), compare);
	calls++;
}

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static NOINLINE void through_jit(void)
{
	static const uint8_t code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *file;

	snprintf(map, sizeof(map), "/tmp/perf-%d.map", (int)getpid());
	file = fopen(map, "w");
	if (memory == MAP_FAILED || !file)
		exit(1);
	fprintf(file, "%lx 8 made at run time\n", (unsigned long)memory);
	fclose(file);
	memcpy(memory, code, sizeof(code));
	mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	((thunk *)(uintptr_t)memory)(inner);
	calls++;
}

static NOINLINE void outer(int argc)
{
	if (argc > 1)
		through_jit();
	else
		middle(argc + 2);
	calls++;
}

int main(int argc, char **argv)
{
	(void)argv;
	/* Some systems let only a parent stop a process. */
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
	signal(SIGTERM, on_end);
	outer(argc);
	return calls == 0;
}
