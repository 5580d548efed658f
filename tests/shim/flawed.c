/*
 * flawed.c: a VM that fires its probes wrongly, each argument in one way, for
 * tests/e2e/check_live.sh:
 *     flawed FLAW...
 * Without arguments it fires rightly what it fires.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vmtap.h"

static struct vmtap_name class = VMTAP_NAME("Class"), method = VMTAP_NAME("run"),
			 inner = VMTAP_NAME("inner"), file = VMTAP_NAME("a.vm"),
			 native = VMTAP_NAME("(native)"), empty = VMTAP_NAME(""),
			 gc = VMTAP_NAME("gc"), mark = VMTAP_NAME("mark"),
			 sweep = VMTAP_NAME("sweep");

static void fire_rightly(void)
{
	/* A call from C has no line; a return need not repeat it. */
	VMTAP_METHOD_ENTRY(&class, &method, &native, 0, 1);
	VMTAP_METHOD_ENTRY(&class, &inner, &file, 3, 1);
	VMTAP_METHOD_RETURN(&class, &inner, &file, 0, 1);
	VMTAP_METHOD_RETURN(&class, &method, &native, 0, 1);
	/* An incremental collection: guest code runs between its steps. */
	VMTAP_PAUSE_BEGIN(0, &gc);
	VMTAP_GC_START(0, 0, 1, 1000, &gc, 1);
	VMTAP_GC_PHASE_BEGIN(0, &mark, 0);
	VMTAP_GC_PHASE_END(0, &mark, 0);
	VMTAP_PAUSE_END(0, &gc);
	VMTAP_GC_PHASE_BEGIN(0, &sweep, 1);
	VMTAP_PAUSE_BEGIN(0, &gc);
	VMTAP_GC_PHASE_BEGIN(0, &mark, 0);
	VMTAP_GC_PHASE_END(0, &mark, 0);
	VMTAP_GC_END(0, 0, 1, 500, &gc, 1);
	VMTAP_PAUSE_END(0, &gc);
	VMTAP_GC_PHASE_END(0, &sweep, 1);
	VMTAP_USER_MSG(0, "");
}

static void fire_wrongly(const char *flaw)
{
	if (strcmp(flaw, "no-return") == 0) {
		VMTAP_METHOD_ENTRY(&class, &method, &file, 5, 2);
		VMTAP_NATIVE_ENTRY(&class, &inner, &file, 6, 2);
		VMTAP_METHOD_RETURN(&class, &method, &file, 5, 2);
	} else if (strcmp(flaw, "open") == 0) {
		VMTAP_METHOD_ENTRY(&class, &method, &file, 5, 3);
	} else if (strcmp(flaw, "park") == 0) {
		VMTAP_THREAD_PARK(0, 4, &gc);
	} else if (strcmp(flaw, "pause") == 0) {
		VMTAP_PAUSE_BEGIN(1, &gc);
		VMTAP_GC_START(1, 0, 1, 1000, &gc, 1);
		VMTAP_PAUSE_END(1, &gc);
		VMTAP_GC_END(1, 0, 1, 500, &gc, 1);
	} else if (strcmp(flaw, "phase") == 0) {
		VMTAP_GC_START(2, 0, 1, 1000, &gc, 1);
		VMTAP_GC_PHASE_BEGIN(2, &mark, 0);
		VMTAP_GC_PHASE_BEGIN(2, &sweep, 0);
		VMTAP_GC_PHASE_END(2, &mark, 0);
		VMTAP_GC_END(2, 0, 1, 500, &gc, 1);
	} else if (strcmp(flaw, "finalizer") == 0) {
		VMTAP_FINALIZE_END(0, &class, 4096);
		VMTAP_FINALIZE_BEGIN(0, &class, 4096);
	} else if (strcmp(flaw, "empty") == 0) {
		VMTAP_OBJECT_CREATE(&empty, 16, &file, 1, 1, 4096);
		VMTAP_OBJECT_CREATE(&class, 16, &file, 1, 1, 4096);
	} else if (strcmp(flaw, "line") == 0) {
		VMTAP_RAISE(&class, &file, 0, 1, "message");
		VMTAP_RAISE(&class, &native, 0, 1, "message");
	} else if (strcmp(flaw, "many") == 0) {
		VMTAP_NATIVE_ENTRY(&class, &inner, &file, 6, 5);
		VMTAP_NATIVE_RETURN(&class, &inner, &file, 6, 5);
		for (unsigned i = 0; i < 60; i++) {
			VMTAP_METHOD_ENTRY(&class, &method, &file, 5, 5);
			VMTAP_NATIVE_ENTRY(&class, &inner, &file, 6, 5);
			VMTAP_METHOD_RETURN(&class, &method, &file, 5, 5);
		}
	} else if (strcmp(flaw, "kill") == 0) {
		raise(SIGKILL);
	} else if (strcmp(flaw, "fail") == 0) {
		exit(3);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "silent") == 0)
		return 0;
	if (vmtap_start(NULL)) {
		fprintf(stderr, "flawed: no stream\n");
		return 1;
	}
	VMTAP_STARTUP(1);
	fire_rightly();
	for (int i = 1; i < argc; i++)
		fire_wrongly(argv[i]);
	VMTAP_SHUTDOWN(0);
	puts("the program's own output");
	return 0;
}
