/*
 * stack.c: how much stack the macros take, for scripts:
 *     stack SOCKET [turns]
 * Serves the stream, waits for a client, and fires every probe in new threads. Prints "first
 * BYTES" and "later BYTES": the most that a thread's first event took, and any other. With "turns",
 * the library has no thread, and the VM fires until it has had to drain its small ring many times.
 * Prints "drained BYTES".
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "used_stack.h"
#include "vmtap.h"

enum {
	STACK = 256 << 10,
	DRAINING = 30000 /* events: many times what a ring holds */
};

static uint64_t test_value(unsigned probe, unsigned argument)
{
	return probe + argument;
}

static struct vmtap_name *test_name(unsigned probe, unsigned argument)
{
	static struct vmtap_name name = VMTAP_NAME("a name");

	(void)probe;
	(void)argument;
	return &name;
}

static const char *test_text(unsigned probe, unsigned argument)
{
	(void)probe;
	(void)argument;
	return "a text";
}

#include "test_calls.h"

static size_t first, later;

static void *fire(void *probe)
{
	void (*call)(void) = test_calls[(size_t)probe];
	size_t used = used_stack(call);

	first = used > first ? used : first;
	for (unsigned i = 0; i < 2; i++) {
		used = used_stack(call);
		later = used > later ? used : later;
	}
	return NULL;
}

static int fire_and_drain(const char *socket)
{
	struct vmtap_options options = {.size = sizeof(options),
		.socket = socket,
		.ring_bytes = 1,
		.queue_bytes = 1,
		.without_thread = 1};
	size_t most = 0;

	if (vmtap_start(&options))
		return 1;
	for (size_t i = 0; i < DRAINING; i++) {
		size_t used = used_stack(test_calls[i % TEST_CALLS]);
		most = used > most ? used : most;
	}
	vmtap_stop();
	printf("drained %zu\n", most);
	return 0;
}

int main(int argc, char **argv)
{
	struct vmtap_options options = {.size = sizeof(options), .socket = argv[1]};

	if (argc == 3)
		return fire_and_drain(argv[1]);
	if (argc != 2 || vmtap_start(&options))
		return 1;
	for (size_t i = 0; i < TEST_CALLS; i++) {
		pthread_attr_t attributes;
		pthread_t thread;
		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, STACK);
		if (pthread_create(&thread, &attributes, fire, (void *)i))
			return 1;
		pthread_join(thread, NULL);
	}
	vmtap_stop();
	printf("first %zu\nlater %zu\n", first, later);
	return 0;
}
