/*
 * late.c: a VM that loads extensions while it is traced:
 *     late SOCKET
 * Serves the stream at SOCKET and executes commands from standard input, answering each with one
 * line:
 *     load FILE.so     loads an extension, see extension.c
 *     unload           unloads the extension that was loaded last
 *     fire CAP COUNT   fires gc-idle
 *     all CAP          fires gc-end, lock-wait, lock-acquired, object-create and gc-idle
 *     call CAP COUNT   has the extension that was loaded last fire, see versioned.c
 * Exits when its input ends.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "vmtap.h"

static void fire_all(uint16_t cap)
{
	static struct vmtap_name name = VMTAP_NAME("own");

	VMTAP_GC_END(cap, 1, 0, 2, &name, 3);
	VMTAP_LOCK_WAIT(cap, 1, 2, &name);
	VMTAP_LOCK_ACQUIRED(cap, 1, 2, &name);
	VMTAP_OBJECT_CREATE(&name, 1, &name, 2, 3, 4);
	VMTAP_GC_IDLE(cap);
}

static void call(void *extension, uint16_t cap, unsigned count)
{
	void (*fire)(uint16_t cap, unsigned count);

	*(void **)&fire = extension ? dlsym(extension, "extension_fire") : NULL;
	if (fire)
		fire(cap, count);
}

int main(int argc, char **argv)
{
	char line[4096], path[4096];
	void *loaded = NULL;
	unsigned cap, count;

	struct vmtap_options options = {.size = sizeof(options), .socket = argv[argc - 1]};
	if (argc != 2 || vmtap_start(&options))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "load %4095s", path) == 1) {
			loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
			if (!loaded)
				fprintf(stderr, "%s\n", dlerror());
		} else if (sscanf(line, "fire %u %u", &cap, &count) == 2) {
			while (count--)
				VMTAP_GC_IDLE((uint16_t)cap);
		} else if (sscanf(line, "all %u", &cap) == 1) {
			fire_all((uint16_t)cap);
		} else if (sscanf(line, "call %u %u", &cap, &count) == 2) {
			call(loaded, (uint16_t)cap, count);
		} else if (strcmp(line, "unload\n") == 0 && loaded) {
			dlclose(loaded);
		}
		printf("done\n");
		fflush(stdout);
	}
	vmtap_stop();
	return 0;
}
