/* resolve_dependency.c: see resolve_dependency.h. */
#include "d/resolve_dependency.h"

#include <ctype.h>
#include <string.h>

#include "d/compile_unit.h"

/* Whether a probe is of this provider, with or without a pid after its name. */
static bool is_provider(const struct d_probe *probe, const char *name)
{
	size_t length = strlen(name);
	const char *rest = probe->provider + length;

	if (strncmp(probe->provider, name, length) != 0)
		return false;
	while (isdigit((unsigned char)*rest))
		rest++;
	return !*rest;
}

bool d_dependency_is_met(const struct d_compiler *compiler, bool provider, const char *name)
{
	const struct d_probe_set *set = compiler->probe_set;

	if (provider && !strcmp(name, "profile"))
		return true; /* its probes are created on demand */
	for (size_t i = 0; i < set->count; i++) {
		bool counts = !set->probes[i].is_absent || set->probes[i].is_expected;

		if (provider ? counts && is_provider(&set->probes[i], name)
			     : !strcmp(set->probes[i].module, name))
			return true;
	}
	return false;
}

static int fail_unmet(
	struct d_compiler *compiler, const struct d_place *place, bool provider, const char *name)
{
	return d_fail(compiler, place, "D_PRAGMA_DEPEND", "program requires %s %.100s",
		provider ? "provider" : "module", name);
}

int d_dependency_add(
	struct d_compiler *compiler, const struct d_place *place, bool provider, const char *name)
{
	struct d_dependency **last = &compiler->last_unit->dependencies;

	if (d_dependency_is_met(compiler, provider, name))
		return 0;
	if (compiler->is_settled)
		return fail_unmet(compiler, place, provider, name);
	while (*last)
		last = &(*last)->next;
	*last = d_get(compiler, sizeof(**last));
	if (!*last)
		return -1;
	**last = (struct d_dependency){.place = *place, .provider = provider, .name = name};
	return 0;
}

int d_dependencies_check(struct d_compiler *compiler, const struct d_dependency *list)
{
	for (; list; list = list->next)
		if (!d_dependency_is_met(compiler, list->provider, list->name))
			return fail_unmet(compiler, &list->place, list->provider, list->name);
	return 0;
}
