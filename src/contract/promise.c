/*
 * promise.c: see promise.h. The table of the providers that vmtap defines is generated from
 * their definitions by tools/promise_table.c.
 */
#include "contract/promise.h"

#include <ctype.h>
#include <string.h>

#include "contract/contract.h"
#include "contract/promise_table.h"

#define STABLE                                                                                     \
	{                                                                                          \
		STABILITY_STABLE, STABILITY_STABLE, STABILITY_COMMON                               \
	}
#define EVOLVING                                                                                   \
	{                                                                                          \
		STABILITY_EVOLVING, STABILITY_EVOLVING, STABILITY_COMMON                           \
	}
#define UNSTABLE                                                                                   \
	{                                                                                          \
		STABILITY_UNSTABLE, STABILITY_UNSTABLE, STABILITY_COMMON                           \
	}
#define UNSTABLE_ISA                                                                               \
	{                                                                                          \
		STABILITY_UNSTABLE, STABILITY_UNSTABLE, STABILITY_ISA                              \
	}
#define EVOLVING_ISA                                                                               \
	{                                                                                          \
		STABILITY_EVOLVING, STABILITY_EVOLVING, STABILITY_ISA                              \
	}
#define PRIVATE_ISA                                                                                \
	{                                                                                          \
		STABILITY_PRIVATE, STABILITY_PRIVATE, STABILITY_ISA                                \
	}
#define PRIVATE                                                                                    \
	{                                                                                          \
		STABILITY_PRIVATE, STABILITY_PRIVATE, STABILITY_UNKNOWN                            \
	}

/* D's own providers, with the attributes given in the guide. */
static const struct promise own[] = {
	{"dtrace", {STABLE, PRIVATE, PRIVATE, STABLE, STABLE}},
	{"profile", {EVOLVING, PRIVATE, PRIVATE, EVOLVING, EVOLVING}},
	{"fasttrap", {EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA, PRIVATE}},
	{"fbt", {EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA, PRIVATE_ISA}},
	{"io", {EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA, EVOLVING_ISA}},
	{"pid", {EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA, PRIVATE}},
	{"proc", {EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA, EVOLVING_ISA}},
	{"sched", {EVOLVING_ISA, PRIVATE, PRIVATE, EVOLVING_ISA, EVOLVING_ISA}},
	{"sdt", {EVOLVING_ISA, PRIVATE, PRIVATE, PRIVATE_ISA, PRIVATE_ISA}},
	{"syscall", {EVOLVING, PRIVATE, UNSTABLE_ISA, EVOLVING, UNSTABLE_ISA}},
};

static const struct promise other = {"", {UNSTABLE, UNSTABLE, UNSTABLE, UNSTABLE, UNSTABLE}};

static const struct promise *search(
	const struct promise *providers, size_t count, const char *name, size_t length)
{
	for (size_t i = 0; i < count; i++) {
		if (strlen(providers[i].name) == length && !memcmp(providers[i].name, name, length))
			return &providers[i];
	}
	return NULL;
}

const struct promise *promise_find(const char *provider)
{
	const struct promise *found;
	size_t length = strlen(provider);

	while (length > 0 && isdigit((unsigned char)provider[length - 1]))
		length--;
	found = search(promise_table, promise_table_count, provider, length);
	if (!found)
		found = search(own, sizeof(own) / sizeof(own[0]), provider, length);
	return found ? found : &other;
}

struct promise promise_of(const char *provider, const struct stability own[STABILITY_PARTS])
{
	struct promise promise = *promise_find(provider);

	if (own)
		memcpy(promise.parts, own, sizeof(promise.parts));
	return promise;
}

struct stability promise_of_probe(
	const struct promise *promise, bool module, bool function, bool name)
{
	struct stability result = promise->parts[STABILITY_PROVIDER];

	if (module)
		result = stability_least(result, promise->parts[STABILITY_MODULE]);
	if (function)
		result = stability_least(result, promise->parts[STABILITY_FUNCTION]);
	if (name)
		result = stability_least(result, promise->parts[STABILITY_NAME]);
	return result;
}

struct promise promise_of_contract(const struct contract_provider *provider)
{
	struct promise promise = {.name = provider->name};

	for (unsigned i = 0; i < STABILITY_PARTS; i++)
		promise.parts[i] = provider->stability[i].value;
	return promise;
}

void promise_print(
	FILE *output, const struct promise *promise, const char *module, const char *function)
{
	fprintf(output, "\n\tProbe Description Attributes\n");
	stability_print(output, promise_of_probe(promise, *module, *function, true));
	fprintf(output, "\n\tArgument Attributes\n");
	stability_print(output, promise->parts[STABILITY_ARGUMENTS]);
}
