/* trace_notes.c: see trace_notes.h. */
#include "cli/trace/trace_notes.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/probes.h"

/* The provider and the name of "provider:module:function:name". */
static void split(const char *description, char provider[128], char name[128])
{
	const char *last = strrchr(description, ':');

	snprintf(provider, 128, "%.*s", (int)strcspn(description, ":"), description);
	snprintf(name, 128, "%s", last ? last + 1 : description);
}

static bool fits(const char *pattern, const char *text)
{
	return !*pattern || !fnmatch(pattern, text, 0);
}

/* The first site of the process that the description matches; NULL: none. */
static const struct usdt_site *find_site(
	const struct probes_target *target, uint32_t pid, const char *provider, const char *name)
{
	for (size_t i = 0; i < probes_count(target); i++) {
		const struct usdt_object *object;
		const struct usdt_image *image = probes_image(target, i, &object);

		for (size_t j = 0; image && j < image->site_count; j++) {
			const struct usdt_site *site = &image->sites[j];
			char full[192];

			snprintf(full, sizeof(full), "%s%" PRIu32, site->provider, pid);
			if (fits(provider, full) && fits(name, site->name))
				return site;
		}
	}
	return NULL;
}

void trace_tell_notes(const struct targets *targets, const char *description)
{
	char provider[128], name[128], number[16];

	split(description, provider, name);
	for (size_t i = 0; i < targets->count && *name; i++) {
		struct probes_target target;
		struct error error;
		const struct usdt_site *site;

		if (!targets->items[i].process.pid)
			continue;
		snprintf(number, sizeof(number), "%" PRIu32, targets->items[i].process.pid);
		if (probes_open(number, &target, &error))
			continue;
		site = find_site(&target, targets->items[i].process.pid, provider, name);
		if (site)
			cli_message(
				"process %s has probe %s:::%s, but its event stream does not "
				"carry it: its provider was not made by 'vmtap generate', or its "
				"arguments cannot be sent; kernel tracers such as bpftrace see it",
				number, site->provider, site->name);
		probes_close(&target);
	}
}
