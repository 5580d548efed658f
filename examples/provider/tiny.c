/*
 * tiny.c: fires the probes of tiny.d. The argument is how often it looks a method up.
 *
 *     vmtap generate tiny.d
 *     cc -mno-red-zone tiny.c tiny_probes.c $(pkg-config --cflags --libs --static vmtap) -o tiny
 *     vmtap trace -q -c './tiny 1000' -n 'tiny*:::lookup { @[args[0]->outcome] = count(); }'
 */
#include <stdlib.h>

#include "tiny_probes.h"

enum { METHODS = 4, CACHE = 2, FIRST_BYTES = 64 };

static struct vmtap_name methods[METHODS] = {
	VMTAP_NAME("push"), VMTAP_NAME("pop"), VMTAP_NAME("add"), VMTAP_NAME("call")};

/* A cache of two methods: what was looked up last stays in its place. */
static int look_up(int cache[CACHE], int method)
{
	int *place = &cache[method % CACHE];

	if (*place == method)
		return 0; /* TINY_HIT */
	*place = method;
	return 1; /* TINY_MISS */
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000;
	int cache[CACHE] = {-1, -1};
	size_t size = FIRST_BYTES;
	char *stack = malloc(size);

	vmtap_start(NULL);
	TINY_NOTE("begins");
	for (int i = 0; i < count && stack; i++) {
		int method = (i / 3) % METHODS;
		int outcome = look_up(cache, method);

		TINY_LOOKUP((uint32_t)outcome, &methods[method], 10 + method);
		if ((size_t)i >= size) {
			TINY_STACK_GROW(stack, size * 2);
			size *= 2;
			free(stack);
			stack = malloc(size);
		}
	}
	if (TINY_NOTE_ENABLED())
		TINY_NOTE(stack ? "ends" : "out of memory");
	free(stack);
	vmtap_stop();
	return 0;
}
