/*
 * usdt_target.c: a program that nobody prepared for vmtap, with USDT probes of its own (sys/sdt.h):
 * operands of several forms and sizes, a semaphore, strings in pages that are not resident.
 *
 *     usdt_target COUNT         fires sample:::number COUNT times with 1, 2, ...
 *     usdt_target wait          fires nothing until it reads a line, then as with 1000
 *     usdt_target cold FILE     fires sample:::text with strings in a mapping of FILE whose pages
 *                               have been dropped
 *     usdt_target texts COUNT   fires sample:::text COUNT times for each line that it reads, every
 *                               time with a string that it has never fired before
 *     usdt_target storm SECONDS four threads fire sample:::number as fast as they can; prints how
 *                               often
 */
#define _SDT_HAS_SEMAPHORES 1
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((section(".probes"))) volatile unsigned short sample_number_semaphore;
__attribute__((section(".probes"))) volatile unsigned short sample_text_semaphore;
__attribute__((section(".probes"))) volatile unsigned short sample_sizes_semaphore;

struct pair {
	struct pair *next;
	const char *name;
	int value;
};

static volatile int8_t small = -3;
int64_t exported = 0x1122334455667788;

__attribute__((noinline)) static void number(int value)
{
	struct pair last = {NULL, "last", value * 2}, first = {&last, "first", value};

	if (sample_number_semaphore)
		DTRACE_PROBE3(sample, number, value, -value, &first);
}

__attribute__((noinline)) static void sizes(uint8_t one, int16_t two, uint32_t four, int64_t eight)
{
	if (sample_sizes_semaphore)
		DTRACE_PROBE7(sample, sizes, one, two, four, eight, 42, small, exported);
}

static void text(const char *string, size_t length)
{
	if (sample_text_semaphore)
		DTRACE_PROBE2(sample, text, string, length);
}

static int cold(const char *path)
{
	int file = open(path, O_RDONLY);
	struct stat status;
	char *bytes;

	if (file < 0 || fstat(file, &status))
		return 1;
	bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	if (bytes == MAP_FAILED)
		return 1;
	for (off_t at = 4096 - 8; at < status.st_size; at += 4096) {
		madvise(bytes, (size_t)status.st_size, MADV_DONTNEED);
		posix_fadvise(file, 0, status.st_size, POSIX_FADV_DONTNEED);
		text(bytes + at, 16);
	}
	return 0;
}

/* "text NUMBER", for each line that can be read; prints how many that makes. */
static int texts(unsigned count)
{
	char line[16], string[32];
	unsigned number = 0;

	while (fgets(line, sizeof(line), stdin)) {
		for (unsigned i = 0; i < count; i++) {
			int length = snprintf(string, sizeof(string), "text %u", number++);

			text(string, (size_t)length);
		}
		printf("%u\n", number);
		fflush(stdout);
	}
	return 0;
}

static _Atomic bool stop;
static _Atomic unsigned long fired;

static void *storm(void *argument)
{
	unsigned long count = 0;

	for (; !stop; count++)
		number((int)count);
	atomic_fetch_add(&fired, count);
	return argument;
}

static int storm_for(unsigned seconds)
{
	pthread_t threads[4];

	while (!sample_number_semaphore)
		usleep(1000);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, storm, NULL);
	sleep(seconds);
	stop = true;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%lu\n", fired);
	return 0;
}

int main(int argc, char **argv)
{
	char line[16];
	int count = 1000;

	if (argc == 3 && !strcmp(argv[1], "cold"))
		return cold(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "texts"))
		return texts((unsigned)atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "storm"))
		return storm_for((unsigned)atoi(argv[2]));
	if (argc == 2 && !strcmp(argv[1], "wait")) {
		printf("ready\n");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	} else if (argc == 2) {
		count = atoi(argv[1]);
	}
	for (int i = 1; i <= count; i++)
		number(i);
	sizes(200, -2, 4000000000u, -5000000000);
	return 0;
}
