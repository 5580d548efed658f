/*
 * every.c: a VM that fires every probe of the contract twice, for tests of builds:
 *     every list      prints the events instead, a line "PROBE ARGUMENT..." each
 *     every alone     opens all guards itself, as a tracer in the kernel does
 *     every closed    fires with the guards as they are, for a tracer
 *     every ready     says so, fires gc-work with capability 0 now and then until it has read a
 *                     line, and then does the same: for tracers that come later
 *     every SOCKET    serves the stream (if built with EVERY_STREAM)
 * The arguments differ by probe and position. Where one decides which probe of a compatible
 * provider an event fires, it is 0 the first time and 1 the second.
 *
 * As a shared object (EVERY_SHARED) it has no main(); every.c with EVERY_HOST is a program that
 * consists of nothing else.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>

int every(int argc, char **argv);

#ifndef EVERY_HOST
#include "vmtap.h"

enum { ARGUMENTS = 16 };

static unsigned round_number;
static struct {
	int is_text;
	uint64_t value;
	char text[64];
} given[ARGUMENTS]; /* of the last call */
static unsigned given_count;

static int is_condition(unsigned probe, unsigned argument)
{
	switch (probe) {
	case VMTAP_PROBE_GC_REQUEST:
		return argument == 1;
	case VMTAP_PROBE_GC_START:
	case VMTAP_PROBE_GC_END:
		return argument == 2;
	case VMTAP_PROBE_REQUIRE_RETURN:
	case VMTAP_PROBE_LOAD_RETURN:
		return argument == 3;
	}
	return 0;
}

static void note(unsigned argument)
{
	given[argument].is_text = 0;
	if (argument >= given_count)
		given_count = argument + 1;
}

static uint64_t test_value(unsigned probe, unsigned argument)
{
	note(argument);
	given[argument].value = is_condition(probe, argument)
		? round_number
		: 2000 + 100 * probe + 10 * argument + round_number;
	return given[argument].value;
}

static const char *test_text(unsigned probe, unsigned argument)
{
	note(argument);
	given[argument].is_text = 1;
	snprintf(given[argument].text, sizeof(given[argument].text),
		"text %u of probe %u: \xe2\x82\xac", argument, probe);
	return given[argument].text;
}

static struct vmtap_name *test_name(unsigned probe, unsigned argument)
{
	static struct vmtap_name names[VMTAP_PROBES][ARGUMENTS];
	struct vmtap_name *name = &names[probe][argument];

	test_text(probe, argument);
	name->text = given[argument].text;
	name->length = (uint32_t)strlen(name->text);
	return name;
}

#include "test_calls.h"

static void list(unsigned probe)
{
	fputs(test_probes[probe], stdout);
	for (unsigned i = 0; i < given_count; i++)
		if (given[i].is_text)
			printf(" \"%s\"", given[i].text);
		else
			printf(" %llu", (unsigned long long)given[i].value);
	putchar('\n');
}

int every(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "closed";
	int listing = strcmp(how, "list") == 0;

#ifdef EVERY_STREAM
	struct vmtap_options options = {.size = sizeof(options), .runtime = "every", .socket = how};
	int stream = *how == '/';
	if (stream && vmtap_start(&options))
		return 1;
#endif
	if (listing || strcmp(how, "alone") == 0)
		for (unsigned i = 0; i < VMTAP_PROBES; i++)
			*(uint32_t *)(uintptr_t)vmtap_guard((enum vmtap_probe)i) = 1;
	if (strcmp(how, "ready") == 0) {
		struct pollfd line = {0, POLLIN, 0};
		puts("ready");
		fflush(stdout);
		while (poll(&line, 1, 1) == 0)
			VMTAP_GC_WORK(0);
	}
	for (round_number = 0; round_number < 2; round_number++) {
		for (unsigned i = 0; i < TEST_CALLS; i++) {
			given_count = 0;
			test_calls[i]();
			if (listing)
				list(i);
		}
	}
#ifdef EVERY_STREAM
	if (stream)
		vmtap_stop();
#endif
	return 0;
}
#endif

#ifndef EVERY_SHARED
int main(int argc, char **argv)
{
	return every(argc, argv);
}
#endif
