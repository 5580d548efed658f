/*
 * usdt_stacks.c: a program that fires stacks:::hit, whose argument is how deep, on stacks of many
 * forms: with and without a frame pointer, deeper than tracers copy, with more frames than they
 * show, in a thread, in a signal handler. It does the same for each line that it reads.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>

enum {
	DEPTH = 12,
	MANY = 150,
	TIMES = 5,
	ROOM = 3000,
	WHOLE = 4, /* so many frames of that room are copied with all before them */
	CUT = 8    /* so many are not */
};

static volatile int sink;

__attribute__((noinline)) static void hit(int deep)
{
	DTRACE_PROBE1(stacks, hit, deep);
	sink++;
}

static void one(int deep, int left);

/* Its frame is found by the frame pointer, as its size is not known beforehand. */
__attribute__((noinline)) static void other(int deep, int left)
{
	volatile char *room = alloca((size_t)(deep % 3) * 16 + 16);

	room[0] = 0;
	if (left)
		one(deep, left - 1);
	else
		hit(deep);
	sink += room[0];
}

__attribute__((noinline)) static void one(int deep, int left)
{
	if (left)
		other(deep, left - 1);
	else
		hit(deep);
	sink++;
}

__attribute__((noinline)) static void wide(int deep, int left)
{
	volatile char room[ROOM];

	room[0] = 0;
	if (left)
		wide(deep, left - 1);
	else
		hit(deep);
	sink += room[0];
}

/* How much of a deep stack is copied depends on where in its page it ends, so that is always the
 * same here. */
__attribute__((noinline)) static void wide_from_page(int deep)
{
	size_t room = 16 + ((uintptr_t)__builtin_frame_address(0) & 4095);
	volatile char *bytes = alloca(room);

	bytes[0] = 0;
	wide(deep, deep);
	sink += bytes[0];
}

static void handle(int number)
{
	hit(number);
	sink++;
}

static void *run(void *argument)
{
	for (int i = 0; i < TIMES; i++)
		for (int deep = 0; deep < DEPTH; deep++)
			one(deep, deep);
	for (int deep = 0; deep < DEPTH; deep++)
		if (deep < WHOLE || deep >= CUT)
			wide_from_page(deep);
	one(MANY, MANY);
	return argument;
}

int main(void)
{
	char line[64];

	signal(SIGUSR1, handle);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		pthread_t thread;

		run(NULL);
		raise(SIGUSR1);
		if (pthread_create(&thread, NULL, run, NULL) || pthread_join(thread, NULL))
			return 1;
		puts("done");
		fflush(stdout);
	}
	return 0;
}
