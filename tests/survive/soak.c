/*
 * soak.c: a VM that fires as fast as it can, for runs that last.
 *     soak THREADS EVENTS
 * Says "ready" once it serves its stream; fires EVENTS on each of THREADS threads when it gets a
 * line, says how many events it has fired, and ends its stream when it gets another line.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "vmtap.h"

enum { THREADS_MAX = 64, NAMES = 1000 };

static struct vmtap_name names[NAMES];
static unsigned long events;

static void *fire(void *argument)
{
	for (unsigned long i = 0; i < events; i += 2) {
		struct vmtap_name *name = &names[i / 2 % NAMES];
		VMTAP_METHOD_ENTRY(name, name, name, 1, 1);
		VMTAP_GC_IDLE(0);
	}
	return argument;
}

int main(int argc, char **argv)
{
	unsigned count = argc == 3 ? (unsigned)atoi(argv[1]) : 0;
	static char texts[NAMES][16];
	pthread_t threads[THREADS_MAX];
	char line[16];

	if (!count || count > THREADS_MAX || vmtap_start(NULL))
		return 2;
	events = strtoul(argv[2], NULL, 10) & ~1ul;
	for (int i = 0; i < NAMES; i++)
		vmtap_name_init(&names[i], texts[i], (size_t)sprintf(texts[i], "name %d", i));
	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 2;
	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, fire, NULL))
			return 2;
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("fired %lu\n", events * count);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 2;
	vmtap_stop();
	return 0;
}
