/* machine_providers.c: see machine_providers.h. */
#include "kernel/machine/machine_providers.h"

#include <errno.h>

#include "kernel/machine/provider_fbt.h"
#include "kernel/machine/provider_sdt.h"
#include "kernel/machine/provider_syscall.h"
#include "kernel/machine/tracepoint_view.h"

/* What the source_tag of a probe is the sum of: its provider's, and a number of its own. */
enum {
	TAG_CALL = 0,
	TAG_PROC = 1 << 16,
	TAG_SCHED = 2 << 16,
	TAG_IO = 3 << 16,
	TAG_FASTTRAP = 4 << 16,
	TAG_MASK = 0xffff
};
enum { TAG_SDT = 1 << 24, TAG_FBT = 1 << 25 };

static const struct {
	uint32_t tag;
	const struct kernel_view_provider *provider;
} views[] = {{TAG_PROC, &kernel_proc}, {TAG_SCHED, &kernel_sched}, {TAG_IO, &kernel_io},
	{TAG_FASTTRAP, &kernel_fasttrap}};

enum { VIEWS = sizeof(views) / sizeof(*views) };

bool kernel_providers_are_asked(const struct d_asked *asked)
{
	bool is_asked = kernel_syscall_is_asked(asked) || kernel_view_is_asked(asked, "sdt") ||
		kernel_view_is_asked(asked, "fbt");

	for (unsigned i = 0; i < VIEWS; i++)
		is_asked |= kernel_view_is_asked(asked, views[i].provider->name);
	return is_asked;
}

/* Whether any description names the provider. */
static bool is_named(const struct d_asked *asked, size_t count, const char *provider)
{
	for (size_t i = 0; i < count; i++)
		if (kernel_view_is_asked(&asked[i], provider))
			return true;
	return false;
}

int kernel_providers_open(struct kernel_providers *providers, const struct d_asked *asked,
	size_t count, struct d_probe_set *set)
{
	int result;

	*providers = (struct kernel_providers){.btf = btf_new("/sys/kernel/btf/vmlinux")};
	result = providers->btf ? 0 : -ENOMEM;
	for (unsigned i = 0; i < VIEWS && !result; i++)
		if (is_named(asked, count, views[i].provider->name))
			result = kernel_view_add(
				views[i].provider, views[i].tag, providers->btf, set);
	if (!result && is_named(asked, count, "sdt"))
		result = kernel_sdt_add(TAG_SDT, providers->btf, set);
	if (!result && is_named(asked, count, "fbt"))
		result =
			kernel_fbt_add(&providers->fbt, TAG_FBT, providers->btf, asked, count, set);
	if (!result && is_named(asked, count, "syscall"))
		result = kernel_syscall_add(set);
	return result;
}

void kernel_providers_close(struct kernel_providers *providers)
{
	kernel_fbt_free(providers->fbt);
	btf_free(providers->btf);
}

bool kernel_providers_is_function(const struct d_probe *probe)
{
	return probe->source_tag >= TAG_FBT;
}

int kernel_providers_sites(const struct kernel_providers *providers, const struct d_probe *probe,
	uint32_t number, struct arena *arena, struct kernel_site *sites)
{
	uint32_t tag = probe->source_tag & ~(uint32_t)TAG_MASK;

	for (unsigned i = 0; i < VIEWS; i++)
		if (views[i].tag == tag)
			return kernel_view_sites(views[i].provider, probe->source_tag & TAG_MASK,
				number, providers->btf, arena, sites);
	if (probe->source_tag >= TAG_FBT)
		return kernel_fbt_site(
			providers->fbt, probe->source_tag - TAG_FBT, number, arena, &sites[0]);
	if (probe->source_tag >= TAG_SDT)
		return kernel_sdt_site(
			probe->source_tag - TAG_SDT, number, providers->btf, arena, &sites[0]);
	kernel_syscall_site(probe, number, &sites[0]);
	return 1;
}
