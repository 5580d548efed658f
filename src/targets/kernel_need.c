/*
 * kernel_need.c: see kernel_need.h.
 *
 * The kernel is needed for a command whose files have described USDT probes, but no libvmtap that
 * would serve a stream, and for functions of any command.
 */
#include "targets/kernel_need.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pattern.h"
#include "contract/contract.h"
#include "contract/known.h"
#include "program/probe.h"
#include "targets/targets_private.h"
#include "usdt/elf/image.h"
#include "usdt/elf/needed.h"
#include "usdt/process/process_images.h"
#include "wire/describe.h"

struct need {
	const struct targets *targets;
	const struct target *target;
	bool *found; /* by description: a file has a site of such a probe */
	bool has_runtime;
};

static bool is_at(const struct d_asked *asked, const struct usdt_site *site, uint32_t pid)
{
	char provider[256];

	snprintf(provider, sizeof(provider), "%s%" PRIu32, site->provider, pid);
	return pattern_match(asked->provider, provider) && pattern_match(asked->name, site->name);
}

static void look_at_file(void *context, const char *path)
{
	struct need *need = context;
	struct usdt_image *image;
	struct error ignored;

	if (usdt_image_open(path, NULL, &image, &ignored))
		return;
	need->has_runtime |= image->has_runtime;
	for (size_t i = 0; i < need->targets->asked_count; i++)
		for (size_t j = 0; j < image->site_count && !need->found[i]; j++)
			need->found[i] = is_at(&need->targets->asked[i], &image->sites[j],
				need->target->process.pid);
	usdt_image_free(image);
}

/* Returns whether a description fits a probe of a provider that a process of this number has. */
static bool fits_probe(
	const struct d_asked *asked, const struct contract_provider *provider, uint32_t pid)
{
	char name[64];
	bool fits = false;

	snprintf(name, sizeof(name), "%s%" PRIu32, provider->name, pid);
	for (size_t i = 0; i < provider->probe_count && !fits; i++)
		fits = pattern_match(asked->name, provider->probes[i].name);
	return fits && pattern_match(asked->provider, name);
}

/*
 * Returns whether a description may also be of a probe of provider vm, so that an event stream can
 * deliver it: a library that serves one may be loaded while the program runs.
 */
static bool may_be_streamed(const struct d_asked *asked, const struct target *target)
{
	struct contract *contract = NULL;
	struct error ignored;
	bool may;

	if (known_contract_read(DESCRIBE_PROVIDER, &contract, &ignored))
		return false;
	may = fits_probe(
		asked, contract_find_provider(contract, DESCRIBE_PROVIDER), target->process.pid);
	contract_free(contract);
	return may;
}

bool kernel_need_streamed(const struct d_asked *asked, uint32_t pid)
{
	bool may = false;

	for (size_t i = 0; i < known_contract_count && !may; i++) {
		const struct known_contract *known = &known_contracts[i];
		struct contract *contract;
		struct error ignored;
		char name[64];

		if (contract_parse(known->name, known->text, known->length, &contract, &ignored))
			continue;
		/* a provider that is named may be a stream's, whatever is wrong with the rest */
		snprintf(name, sizeof(name), "%s%" PRIu32, contract->providers[0].name, pid);
		may = !strcmp(asked->provider, name) ||
			fits_probe(asked, &contract->providers[0], pid);
		contract_free(contract);
	}
	return may;
}

const struct d_asked *kernel_need_all(
	const struct targets *targets, const struct target *target, const struct d_asked **streamed)
{
	struct need need = {targets, target, calloc(targets->asked_count + 1, sizeof(bool)), false};
	char path[4096], functions[24];
	bool all = targets->asked_count && !targets->may_miss, any = false;

	*streamed = NULL;
	if (!need.found)
		return NULL;
	if (usdt_needed_program(target->command.words[0], path))
		usdt_needed_each(path, look_at_file, &need);
	snprintf(functions, sizeof(functions), "pid%" PRIu32, target->process.pid);
	for (size_t i = 0; i < targets->asked_count; i++)
		any |= need.found[i] && targets->asked[i].is_optional;
	for (size_t i = 0; i < targets->asked_count; i++) {
		const struct d_asked *asked = &targets->asked[i];
		bool is_function = !strcmp(asked->provider, functions);
		bool has_site = need.found[i] || (any && asked->is_optional);

		if (need.found[i] && !need.has_runtime && may_be_streamed(asked, target)) {
			*streamed = *streamed ? *streamed : asked;
			has_site = false;
		}
		all &= is_function || (has_site && !need.has_runtime);
	}
	free(need.found);
	return all ? &targets->asked[0] : NULL;
}

bool kernel_need_has_site(
	const struct targets *targets, const struct target *target, const char *path)
{
	struct need need = {targets, target, calloc(targets->asked_count + 1, sizeof(bool)), false};
	bool has_site = false;

	if (!need.found)
		return true;
	usdt_needed_each(path, look_at_file, &need);
	for (size_t i = 0; i < targets->asked_count; i++)
		has_site |= need.found[i];
	free(need.found);
	return has_site;
}

static bool has_provider(const struct d_probe_set *set, const char *provider, uint32_t pid)
{
	char name[256];

	snprintf(name, sizeof(name), "%s%" PRIu32, provider, pid);
	for (size_t i = 0; i < set->count; i++)
		if (!strcmp(set->probes[i].provider, name))
			return true;
	return false;
}

/* Returns whether a description fits a site of the image whose provider has no probe in the set. */
static bool fits_beside(const struct d_asked *asked, const struct usdt_image *image, uint32_t pid,
	const struct d_probe_set *set)
{
	for (size_t i = 0; image && i < image->site_count; i++)
		if (is_at(asked, &image->sites[i], pid) &&
			!has_provider(set, image->sites[i].provider, pid))
			return true;
	return false;
}

const struct d_asked *kernel_need_beside(
	const struct targets *targets, uint32_t pid, const struct d_probe_set *set)
{
	const struct d_asked *found = NULL;
	struct usdt_process *process = NULL;
	struct error ignored;

	for (size_t i = 0; i < targets->asked_count && !found; i++) {
		const struct d_asked *asked = &targets->asked[i];

		if (*asked->provider && !pattern_is_glob(asked->provider))
			continue;
		if (!process && usdt_process_open((pid_t)pid, &process, &ignored))
			return NULL;
		for (size_t j = 0; j < process->object_count && !found; j++)
			if (fits_beside(asked, process->objects[j].image, pid, set))
				found = asked;
	}
	usdt_process_free(process);
	return found;
}

const struct d_asked *kernel_need_first(
	const struct targets *targets, const struct d_probe_set *set)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (target_lacks(targets, set, &targets->asked[i]))
			return &targets->asked[i];
	return targets->asked_count ? &targets->asked[0] : NULL;
}
