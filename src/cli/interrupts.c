/* interrupts.c: see interrupts.h. */
#include "cli/interrupts.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"

void interrupts_take(struct interrupts *interrupts, int signals)
{
	struct signalfd_siginfo signal;

	while (read(signals, &signal, sizeof(signal)) == (ssize_t)sizeof(signal)) {
		uint64_t now = clock_monotonic();
		if (!interrupts->count) {
			*interrupts = (struct interrupts){.count = 1, .first = now};
		} else if (now - interrupts->first >= INTERRUPTS_APART_MS * CLOCK_NS_PER_MS) {
			interrupts->count = 2;
		}
	}
}
