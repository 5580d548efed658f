/*
 * machine_providers.c: see machine_providers.h. A probe's source_tag has the number of its
 * provider's row above TAG_BITS, and below that the number that the provider has chosen; both the
 * types of the kernel's BTF and the probes of functions are far fewer than that allows.
 */
#include "kernel/machine/machine_providers.h"

#include <errno.h>

enum { TAG_BITS = 24 };

/* Probes are added in this order. Other folders, which include nothing of this one, have the names
 * too: tests/unit/test_kernel_machine_names.c compares them. */
static const struct kernel_provider *const rows[] = {
	&kernel_provider_proc,
	&kernel_provider_sched,
	&kernel_provider_io,
	&kernel_provider_fasttrap,
	&kernel_provider_sdt,
	&kernel_provider_fbt,
	&kernel_provider_syscall,
};

_Static_assert(sizeof(rows) / sizeof(*rows) == KERNEL_PROVIDERS, "a provider has no room");

bool kernel_providers_are_asked(const struct d_asked *asked)
{
	for (uint32_t i = 0; i < KERNEL_PROVIDERS; i++)
		if (kernel_provider_is_asked(asked, rows[i]->name))
			return true;
	return false;
}

/* Returns whether any description names the provider. */
static bool is_named(const struct d_asked *asked, size_t count, const char *provider)
{
	for (size_t i = 0; i < count; i++)
		if (kernel_provider_is_asked(&asked[i], provider))
			return true;
	return false;
}

int kernel_providers_open(struct kernel_providers *providers, const struct d_asked *asked,
	size_t count, struct d_probe_set *set)
{
	int result;

	*providers = (struct kernel_providers){.btf = btf_new("/sys/kernel/btf/vmlinux")};
	result = providers->btf ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < KERNEL_PROVIDERS && !result; i++) {
		const struct kernel_provider_request request = {.btf = providers->btf,
			.asked = asked,
			.asked_count = count,
			.tag = i << TAG_BITS,
			.set = set};

		if (is_named(asked, count, rows[i]->name))
			result = rows[i]->add(rows[i], &request, &providers->own[i]);
	}
	return result;
}

void kernel_providers_close(struct kernel_providers *providers)
{
	for (uint32_t i = 0; i < KERNEL_PROVIDERS; i++)
		if (rows[i]->close)
			rows[i]->close(providers->own[i]);
	btf_free(providers->btf);
}

const struct kernel_provider *kernel_providers_row(const struct d_probe *probe)
{
	return rows[probe->source_tag >> TAG_BITS];
}

int kernel_providers_sites(const struct kernel_providers *providers, const struct d_probe *probe,
	uint32_t number, struct arena *arena, struct kernel_site *sites)
{
	uint32_t row = probe->source_tag >> TAG_BITS;
	const struct kernel_provider_probe wanted = {.btf = providers->btf,
		.number = probe->source_tag & ((1u << TAG_BITS) - 1),
		.probe = number,
		.arena = arena};

	return rows[row]->sites(rows[row], &wanted, providers->own[row], sites);
}
