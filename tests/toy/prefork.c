/*
 * prefork.c: a server that forks its workers, as a VM: prefork WORKERS MODE. With MODE "start" each
 * worker calls vmtap_start(), with "option" the library does so in fork(), with "none" nobody does.
 * Each worker reports its number as a capability, and the parent that it has ended.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vmtap.h>

static int work(int number, int starts)
{
	if (starts && vmtap_start(NULL))
		return 1;
	VMTAP_STARTUP((uint16_t)number);
	VMTAP_SHUTDOWN((uint16_t)number);
	return 0; /* exit() ends the stream */
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "none";
	struct vmtap_options options = {.size = sizeof(options),
		.runtime = "prefork 1.0",
		.argument_count = argc,
		.arguments = argv,
		.serve_children = !strcmp(mode, "option")};
	int workers = argc > 1 ? atoi(argv[1]) : 1, status, failed = 0;

	if (vmtap_start(&options))
		return 2;
	for (int i = 1; i <= workers; i++) {
		pid_t child = fork();
		if (child < 0)
			return 3;
		if (!child)
			exit(work(i, !strcmp(mode, "start")));
	}
	while (wait(&status) > 0)
		failed |= status;
	VMTAP_SHUTDOWN(0);
	return failed != 0;
}
