/*
 * kernel_need.c: see kernel_need.h.
 *
 * A command whose files have USDT probes that are described, and no libvmtap that would serve a
 * stream, is of no use without the kernel; so are functions of any command.
 */
#include "cli/trace/kernel_need.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pattern.h"
#include "cli/trace/target_private.h"
#include "program/probe.h"
#include "usdt/image.h"
#include "usdt/needed.h"

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
			need->found[i] = is_at(
				&need->targets->asked[i], &image->sites[j], need->target->pid);
	usdt_image_free(image);
}

const struct d_asked *kernel_need_all(const struct targets *targets, const struct target *target)
{
	struct need need = {targets, target, calloc(targets->asked_count + 1, sizeof(bool)), false};
	char path[4096], functions[24];
	bool all = targets->asked_count && !targets->may_miss, any = false;

	if (!need.found)
		return NULL;
	if (usdt_needed_program(target->command.words[0], path))
		usdt_needed_each(path, look_at_file, &need);
	snprintf(functions, sizeof(functions), "pid%" PRIu32, target->pid);
	for (size_t i = 0; i < targets->asked_count; i++)
		any |= need.found[i] && targets->asked[i].is_optional;
	for (size_t i = 0; i < targets->asked_count; i++) {
		const struct d_asked *asked = &targets->asked[i];
		bool is_function = !strcmp(asked->provider, functions);
		bool has_site = need.found[i] || (any && asked->is_optional);

		all &= is_function || (has_site && !need.has_runtime);
	}
	free(need.found);
	return all ? &targets->asked[0] : NULL;
}

const struct d_asked *kernel_need_first(
	const struct targets *targets, const struct d_probe_set *set)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (target_lacks(targets, set, &targets->asked[i]))
			return &targets->asked[i];
	return targets->asked_count ? &targets->asked[0] : NULL;
}
