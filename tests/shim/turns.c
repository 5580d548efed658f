/*
 * turns.c: a VM without a thread of the library's, for scripts:
 *     turns COUNT
 * Fires COUNT times gc-idle, a thousand in each iteration of its loop, then runs the loop until its
 * input ends. Says on standard output when it has started.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "vmtap.h"

int main(int argc, char **argv)
{
	struct vmtap_options options = {
		.size = sizeof(options), .runtime = "turns", .without_thread = 1};
	long left = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

	if (vmtap_start(&options))
		return 1;
	puts("started");
	fflush(stdout);
	struct pollfd polled[] = {
		{.fd = vmtap_descriptor(), .events = POLLIN}, {.fd = 0, .events = POLLIN}};
	for (;;) {
		if (poll(polled, 2, left > 0 ? 0 : -1) < 0 && errno != EINTR)
			return 1;
		if (polled[0].revents && vmtap_turn())
			return 1;
		if (polled[1].revents && left <= 0)
			break;
		for (int i = 0; i < 1000 && left > 0; i++, left--)
			VMTAP_GC_IDLE(0);
	}
	vmtap_stop();
	return 0;
}
