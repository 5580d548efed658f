/*
 * host.c: a VM for scripts that trace it, with or without extensions:
 *     host SOCKET|- COUNT [EXTENSION.so EXTENSION.so]
 * Serves the stream at SOCKET unless that is "-". Until it reads a line from standard input, it
 * fires gc-work now and then from every object; the script sends the line when its tracers have
 * seen one and so are attached. Then it prints the value of each object's guard, "guard CAP VALUE",
 * and fires gc-idle COUNT times with each of the capabilities 1 (itself), 2 and 3 (the extensions),
 * unloads the second extension, and fires COUNT times with 1 and 2 again. Prints "done" and exits
 * when its input ends.
 *
 *     host fork COUNT
 * Creates that many children instead; each fires gc-idle once with capability 9 and must
 * survive. Prints how many died.
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

/* Waits until the input ends, for tracers whose process must not end before them. */
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
