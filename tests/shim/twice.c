/*
 * twice.c: a process that has the whole library twice: its executable links libvmtap.a, and so
 * does an extension that it loads, this file compiled with -DEXTENSION.
 *     twice SOCKET EXTENSION.so SOCKET-OF-EXTENSION COUNT
 * Starts both streams. When each guard is open, it fires gc-idle COUNT times with capability 1
 * and has the extension fire it with capability 2, unloads the extension and fires again. Prints
 * "extension ERROR", what vmtap_start() has returned there.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "vmtap.h"

static int serve(const char *socket)
{
	struct vmtap_options options = {.size = sizeof(options), .socket = socket};

	return vmtap_start(&options);
}

static void fire(uint16_t cap, unsigned count)
{
	const volatile uint32_t *guard = vmtap_guard(VMTAP_PROBE_GC_IDLE);

	for (int tries = 0; !*guard && tries < 60000; tries++)
		usleep(1000);
	while (count--)
		VMTAP_GC_IDLE(cap);
}

#ifdef EXTENSION

__attribute__((visibility("default"))) int extension_serve(const char *socket);
__attribute__((visibility("default"))) void extension_fire(uint16_t cap, unsigned count);

int extension_serve(const char *socket)
{
	return serve(socket);
}

void extension_fire(uint16_t cap, unsigned count)
{
	fire(cap, count);
}

#else

int main(int argc, char **argv)
{
	int (*extension_serve)(const char *socket);
	void (*extension_fire)(uint16_t cap, unsigned count);
	unsigned count;
	void *extension;

	if (argc != 5)
		return 2;
	count = (unsigned)strtoul(argv[4], NULL, 10);
	if (serve(argv[1]))
		return 1;
	extension = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (extension) {
		*(void **)&extension_serve = dlsym(extension, "extension_serve");
		*(void **)&extension_fire = dlsym(extension, "extension_fire");
	}
	if (!extension || !extension_serve || !extension_fire) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	printf("extension %d\n", extension_serve(argv[3]));
	fire(1, count);
	extension_fire(2, count);
	dlclose(extension);
	fire(1, count);
	vmtap_stop();
	return 0;
}

#endif
