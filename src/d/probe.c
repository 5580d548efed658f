/*
 * probe.c: the set of probes. Strings are copied; indices never change.
 */
#include "d/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "d/arena.h"

static void probe_free(struct d_probe *probe)
{
	free(probe->provider);
	free(probe->module);
	free(probe->function);
	free(probe->name);
	for (unsigned i = 0; i < probe->argument_count; i++) {
		free(probe->arguments[i].type);
		free(probe->arguments[i].name);
	}
}

static char *copy(const char *text)
{
	return strdup(text ? text : "");
}

int d_probe_set_init(struct d_probe_set *set)
{
	static const struct {
		char name[8];
		enum d_probe_kind kind;
	} own[] = {{"BEGIN", D_PROBE_BEGIN}, {"END", D_PROBE_END}, {"ERROR", D_PROBE_ERROR}};
	char provider[] = "dtrace", empty[] = "", name[8];
	long index = 0;

	memset(set, 0, sizeof(*set));
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && index >= 0; i++) {
		struct d_probe probe = {.provider = provider,
			.module = empty,
			.function = empty,
			.name = name,
			.kind = own[i].kind};

		memcpy(name, own[i].name, sizeof(name));
		index = d_probe_set_add(set, &probe);
	}
	if (index < 0)
		d_probe_set_free(set);
	return index < 0 ? (int)index : 0;
}

void d_probe_set_free(struct d_probe_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		probe_free(&set->probes[i]);
	free(set->probes);
	memset(set, 0, sizeof(*set));
}

long d_probe_set_add(struct d_probe_set *set, const struct d_probe *probe)
{
	struct d_probe added = *probe;
	bool complete;

	if (probe->argument_count > D_PROBE_ARGUMENTS_MAX)
		return -EINVAL;
	if (d_array_room(&set->probes, &set->capacity, set->count, sizeof(set->probes[0])))
		return -ENOMEM;
	added.provider = copy(probe->provider);
	added.module = copy(probe->module);
	added.function = copy(probe->function);
	added.name = copy(probe->name);
	complete = added.provider && added.module && added.function && added.name;
	for (unsigned i = 0; i < probe->argument_count; i++) {
		added.arguments[i].type = copy(probe->arguments[i].type);
		added.arguments[i].name = copy(probe->arguments[i].name);
		if (!added.arguments[i].type || !added.arguments[i].name)
			complete = false;
	}
	if (!complete) {
		probe_free(&added);
		return -ENOMEM;
	}
	set->probes[set->count] = added;
	return (long)set->count++;
}
