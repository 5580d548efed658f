/*
 * host.c: a VM for scripts that trace it, with extensions or without:
 *     host SOCKET|- COUNT [EXTENSION.so EXTENSION.so]
 * Serves the stream at SOCKET unless that is "-". With a line on standard input awaited it
 * fires gc-work now and then, from every object: a tracer has seen one when the line is sent, so it
 * is attached. Then, with capabilities 1 (itself), 2 and 3 (the extensions), it fires gc-idle COUNT
 * times each, unloads the second extension, and fires COUNT times with 1 and 2 again. Says "done"
 * and ends when its input does. Prints what each object's guard reads, "guard CAP VALUE", before
 * firing.
 *
 *     host fork COUNT
 * As many children instead, each of which fires gc-idle with capability 9 once, and must
 * live. Prints how many died.
 */
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vmtap.h"

struct extension {
	void *object;
	void (*fire)(uint16_t cap, unsigned count);
	void (*work)(uint16_t cap);
	const uint32_t *(*guard)(void);
};

static int load(struct extension *extension, const char *path)
{
	extension->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (extension->object) {
		*(void **)&extension->fire = dlsym(extension->object, "extension_fire");
		*(void **)&extension->work = dlsym(extension->object, "extension_work");
		*(void **)&extension->guard = dlsym(extension->object, "extension_guard");
	}
	if (!extension->object || !extension->fire || !extension->work || !extension->guard) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	return 0;
}

static void fire_self(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		VMTAP_GC_IDLE(1);
}

static void await_line(const struct extension *extensions, int extension_count)
{
	struct pollfd input = {.fd = 0, .events = POLLIN};
	char line[64];

	while (poll(&input, 1, 1) == 0) {
		VMTAP_GC_WORK(1);
		for (int i = 0; i < extension_count; i++)
			extensions[i].work((uint16_t)(i + 2));
	}
	if (!fgets(line, sizeof(line), stdin))
		line[0] = '\0';
}

/* Stays until the input ends, for tracers that must not see their process go. */
static void finish(void)
{
	printf("done\n");
	fflush(stdout);
	while (getchar() != EOF)
		;
}

static int fork_many(unsigned count)
{
	unsigned died = 0;

	printf("loaded\n");
	fflush(stdout);
	await_line(NULL, 0);
	for (unsigned i = 0; i < count; i++) {
		int status;
		pid_t child = fork();
		if (child == 0) {
			VMTAP_GC_IDLE(9);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child || status)
			died++;
	}
	printf("died %u\n", died);
	finish();
	return died != 0;
}

int main(int argc, char **argv)
{
	struct extension extensions[2];
	unsigned count;

	if (argc < 3)
		return 2;
	count = (unsigned)strtoul(argv[2], NULL, 10);
	if (strcmp(argv[1], "fork") == 0)
		return fork_many(count);
#ifndef HOST_WITHOUT_STREAM
	struct vmtap_options options = {.size = sizeof(options), .socket = argv[1]};
	if (strcmp(argv[1], "-") != 0 && vmtap_start(&options)) {
		fprintf(stderr, "cannot start\n");
		return 1;
	}
#endif
	for (int i = 0; i < 2 && argc == 5; i++)
		if (load(&extensions[i], argv[3 + i]))
			return 1;
	printf("loaded\n");
	fflush(stdout);
	await_line(extensions, argc == 5 ? 2 : 0);
	printf("guard 1 %u\n", *vmtap_guard(VMTAP_PROBE_GC_IDLE));
	for (int i = 0; i < 2 && argc == 5; i++)
		printf("guard %d %u\n", i + 2, *extensions[i].guard());
	fflush(stdout);
	fire_self(count);
	if (argc == 5) {
		extensions[0].fire(2, count);
		extensions[1].fire(3, count);
		if (extensions[0].guard() == extensions[1].guard() ||
			extensions[0].guard() == vmtap_guard(VMTAP_PROBE_GC_IDLE)) {
			fprintf(stderr, "objects share a guard\n");
			return 1;
		}
		dlclose(extensions[1].object);
		extensions[0].fire(2, count);
	}
	fire_self(count);
#ifndef HOST_WITHOUT_STREAM
	vmtap_stop();
#endif
	finish();
	return 0;
}
