/*
 * test_kernel_machine_names.c: the providers of the machine are rows of one array, but the compiler
 * and the contracts, which know nothing of src/kernel, have their names too. Each of them knows all
 * providers of the array.
 */
#include <string.h>

#include "base/error.h"
#include "contract/contract.h"
#include "contract/generator.h"
#include "contract/promise.h"
#include "d/compiler.h"
#include "d/resolve_advice.h"
#include "kernel/machine/machine_providers.h"
#include "unit_main.h"

static const struct kernel_provider *const rows[] = {&kernel_provider_fasttrap,
	&kernel_provider_fbt, &kernel_provider_io, &kernel_provider_proc, &kernel_provider_sched,
	&kernel_provider_sdt, &kernel_provider_syscall};

_Static_assert(sizeof(rows) / sizeof(*rows) == KERNEL_PROVIDERS, "a provider lacks its row here");

START_TEST(compiler_knows_them)
{
	struct d_probe_set set = {0};
	struct d_compiler compiler = {.probe_set = &set};

	ck_assert_msg(!d_advice_may_be_missing(&compiler, rows[_i]->name),
		"%s is not among the machine's in resolve_advice.c", rows[_i]->name);
	ck_assert(d_advice_may_be_missing(&compiler, "other"));
}
END_TEST

START_TEST(promises_know_them)
{
	ck_assert_msg(!strcmp(promise_find(rows[_i]->name)->name, rows[_i]->name),
		"%s has no row in promise.c", rows[_i]->name);
	ck_assert_str_eq(promise_find("other")->name, "");
}
END_TEST

/* Returns whether a VM author may call a provider so. */
static bool is_allowed(const char *name)
{
	char text[100];
	struct contract *contract;
	struct error error;
	int length = snprintf(text, sizeof(text), "provider %s { probe x(); };", name), result;

	ck_assert_int_eq(contract_parse("it.d", text, (size_t)length, &contract, &error), 0);
	result = generate_check_own(contract, &error);
	contract_free(contract);
	ck_assert(!result || strstr(error.text, "is reserved"));
	return !result;
}

START_TEST(names_are_reserved)
{
	ck_assert_msg(!is_allowed(rows[_i]->name), "%s is not reserved in generator_own.c",
		rows[_i]->name);
	ck_assert(is_allowed("other"));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_loop_test(tests, compiler_knows_them, 0, KERNEL_PROVIDERS);
	tcase_add_loop_test(tests, promises_know_them, 0, KERNEL_PROVIDERS);
	tcase_add_loop_test(tests, names_are_reserved, 0, KERNEL_PROVIDERS);
}
