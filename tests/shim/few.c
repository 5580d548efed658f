/*
 * few.c: a VM that refers to few probes, for tests of which sites a build has:
 *   - gc-idle and gc-work by their macros, and cap-enable in a function that nobody calls
 *   - gc-done only by VMTAP_GC_DONE_ENABLED()
 *   - gc-mark-begin as generated code does, by VMTAP_GUARD() and VMTAP_FIRE()
 * and to an event of its own, own:::tick, but not to own:::tock. "few alone" opens the guards, as
 * a tracer in the kernel does, and fires; "few SOCKET" serves the stream, fires, and prints which
 * guards were open. It fires each probe once, own:::tick twice. As a shared object (FEW_SHARED) it
 * has no main(); with FEW_HOST it is a program that has nothing else.
 */
#include <stdio.h>
#include <string.h>

int few(int argc, char **argv);

#ifndef FEW_HOST
#include "own_probes.h"

void few_unused(void); /* nobody calls it */
void few_unused(void)
{
	VMTAP_CAP_ENABLE(3);
}

static void open_guard(const uint32_t *guard)
{
	__atomic_fetch_add((uint16_t *)(uintptr_t)guard, 1, __ATOMIC_RELAXED);
}

static void fire(void)
{
	const uint32_t *guard = VMTAP_GUARD(GC_MARK_BEGIN);

	VMTAP_GC_IDLE(1);
	VMTAP_GC_WORK(2);
	if (__atomic_load_n(guard, __ATOMIC_RELAXED))
		((void (*)(uint16_t))VMTAP_FIRE(GC_MARK_BEGIN))(4);
	OWN_TICK(5);
	OWN_TICK(6);
}

int few(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "alone";

	if (!strcmp(mode, "alone")) {
		open_guard(VMTAP_GUARD(GC_IDLE));
		open_guard(VMTAP_GUARD(GC_WORK));
		open_guard(VMTAP_GUARD(GC_MARK_BEGIN));
		open_guard(OWN_GUARD(TICK));
		fire();
	} else {
#ifdef FEW_STREAM
		struct vmtap_options options = {.size = sizeof(options), .socket = mode};

		if (vmtap_start(&options))
			return 1;
		fire();
		vmtap_stop();
#endif
	}
	printf("done %d\n", VMTAP_GC_DONE_ENABLED() != 0);
	return 0;
}
#endif

#ifndef FEW_SHARED
int main(int argc, char **argv)
{
	return few(argc, argv);
}
#endif
