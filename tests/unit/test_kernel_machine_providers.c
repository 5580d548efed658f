/*
 * test_kernel_machine_providers.c: each provider of the machine adds its own probes and no others,
 * each probe leads back to its row, and the sites are those of the provider. What the running
 * kernel describes itself (sdt, fbt) is not looked at, so no privilege is needed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/machine/machine_providers.h"
#include "unit_main.h"

static struct kernel_providers providers;
static struct d_probe_set set;
static struct arena arena;

static void setup(void)
{
	providers = (struct kernel_providers){0};
	arena = (struct arena){0};
	ck_assert_int_eq(d_probe_set_init(&set), 0);
}

static void teardown(void)
{
	kernel_providers_close(&providers);
	d_probe_set_free(&set);
	arena_free(&arena);
}

static void open_providers(const char *const *names, size_t count)
{
	struct d_asked asked[4];

	for (size_t i = 0; i < count; i++)
		asked[i] = (struct d_asked){
			.provider = names[i], .module = "", .function = "", .name = ""};
	ck_assert_int_eq(kernel_providers_open(&providers, asked, count, &set), 0);
}

static const struct d_probe *find(
	const char *provider, const char *function, const char *name, uint32_t *number)
{
	for (size_t i = 0; i < set.count; i++)
		if (!strcmp(set.probes[i].provider, provider) &&
			!strcmp(set.probes[i].function, function) &&
			!strcmp(set.probes[i].name, name)) {
			*number = (uint32_t)i;
			return &set.probes[i];
		}
	ck_abort_msg("no %s::%s:%s", provider, function, name);
}

static const struct {
	const char *provider;
	bool is_asked;
} names[] = {{"syscall", true}, {"proc", true}, {"sched", true}, {"io", true}, {"fasttrap", true},
	{"sdt", true}, {"fbt", true}, {"s*", true}, {"sys?all", true}, {"*", false}, {"", false},
	{"vm1234", false}, {"profile", false}, {"pid1", false}, {"syscal", false}};

START_TEST(names_of_providers)
{
	const struct d_asked asked = {
		.provider = names[_i].provider, .module = "", .function = "", .name = ""};

	ck_assert_msg(
		kernel_providers_are_asked(&asked) == names[_i].is_asked, "%s", names[_i].provider);
}
END_TEST

static const char *const one_provider[] = {"syscall", "proc", "sched", "io", "fasttrap"};

START_TEST(one_provider_alone)
{
	size_t count = 0;

	open_providers(&one_provider[_i], 1);
	for (size_t i = 0; i < set.count; i++) {
		if (set.probes[i].kind != D_PROBE_SOURCE)
			continue;
		count++;
		ck_assert_str_eq(set.probes[i].provider, one_provider[_i]);
		ck_assert_str_eq(kernel_providers_row(&set.probes[i])->name, one_provider[_i]);
		ck_assert_uint_eq(kernel_providers_row(&set.probes[i])->functions_max, 0);
	}
	ck_assert_uint_gt(count, 0);
}
END_TEST

/* Probes of several providers do not share tags. */
START_TEST(several_providers)
{
	open_providers(one_provider, 4);
	for (size_t i = 0; i < set.count; i++) {
		const struct d_probe *probe = &set.probes[i];

		if (probe->kind != D_PROBE_SOURCE)
			continue;
		ck_assert_str_eq(kernel_providers_row(probe)->name, probe->provider);
		for (size_t j = 0; j < i; j++)
			ck_assert(set.probes[j].kind != D_PROBE_SOURCE ||
				set.probes[j].source_tag != probe->source_tag);
	}
}
END_TEST

/* The entry and the return of a call are a site each, with the call's number. */
START_TEST(sites_of_system_calls)
{
	static const char *const both[] = {"proc", "syscall"};
	struct kernel_site sites[KERNEL_PROVIDER_SITES];
	uint32_t number;
	const struct d_probe *probe;

	open_providers(both, 2);
	probe = find("syscall", "openat", "entry", &number);
	ck_assert_uint_eq(probe->argument_count, 4);
	ck_assert_int_eq(kernel_providers_sites(&providers, probe, number, &arena, sites), 1);
	ck_assert(sites[0].is_machine && sites[0].is_call && !sites[0].is_return);
	ck_assert_uint_eq(sites[0].call, 257); /* of x86-64 */
	ck_assert_uint_eq(sites[0].probe, number);
	ck_assert_str_eq(sites[0].tracepoint, "sys_enter");
	ck_assert_uint_eq(sites[0].arguments[1].base, KERNEL_RSI);
	probe = find("syscall", "openat", "return", &number);
	ck_assert_int_eq(kernel_providers_sites(&providers, probe, number, &arena, sites), 1);
	ck_assert(sites[0].is_return);
	ck_assert_uint_eq(sites[0].call, 257);
	ck_assert_str_eq(sites[0].tracepoint, "sys_exit");
	probe = find("syscall", "exit_group", "return", &number);
	ck_assert(probe->is_refused); /* nobody returns from it */
}
END_TEST

/* A probe that no kernel has is there, with the reason, and has no site. */
START_TEST(probes_that_cannot_fire)
{
	struct kernel_site sites[KERNEL_PROVIDER_SITES];
	uint32_t number;
	const struct d_probe *probe;

	open_providers(&one_provider[4], 1);
	probe = find("fasttrap", "", "fasttrap", &number);
	ck_assert(probe->is_refused);
	ck_assert_ptr_nonnull(probe->note);
	ck_assert_int_eq(kernel_providers_sites(&providers, probe, number, &arena, sites), 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, names_of_providers, 0, sizeof(names) / sizeof(*names));
	tcase_add_loop_test(
		tests, one_provider_alone, 0, sizeof(one_provider) / sizeof(*one_provider));
	tcase_add_test(tests, several_providers);
	tcase_add_test(tests, sites_of_system_calls);
	tcase_add_test(tests, probes_that_cannot_fire);
}
