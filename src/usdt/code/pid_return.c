/*
 * pid_return.c: see pid_return.h. The functions of the C library return before anything unwinds
 * them, except those that call back, and the ones that threads begin and end with.
 */
#include "usdt/code/pid_return.h"

#include <stddef.h>
#include <string.h>

#include "usdt/code/code_object.h"

struct return_rule {
	const char *name; /* a '*' at the end: any name that begins so */
	const char *reason;
};

static const char *find_rule(const struct return_rule *table, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(table[i].name);

		if (table[i].name[length - 1] == '*' ? !strncmp(name, table[i].name, length - 1)
						     : !strcmp(name, table[i].name))
			return table[i].reason;
	}
	return NULL;
}

#define FIND(table, name) find_rule((table), sizeof(table) / sizeof((table)[0]), (name))

const char *pid_return_refusal(const char *function)
{
	static const char jumped[] =
		"it is not entered by a call, so there is no return address on the stack";
	static const char profiler[] = "it uses its own return address";
	static const struct return_rule table[] = {
		{"_start", jumped},
		{"_dl_start_user", jumped},
		{"_dl_runtime_resolve*", jumped},
		{"_dl_runtime_profile*", jumped},
		{"__restore_rt", jumped},
		{"__start_context", jumped},
		{"__kernel_rt_sigreturn", jumped},
		{"__morestack*", jumped},
		{"mcount", profiler},
		{"_mcount", profiler},
		{"__fentry__", profiler},
	};

	if (code_cold_stem(function))
		return "it is a part of another function, entered by a jump";
	return FIND(table, function);
}

/* Functions that keep, read or replace the return addresses of their callers or their own. */
static const char *find_special(const char *function)
{
	static const char saves[] = "it saves its return address for a later jump";
	static const char reads[] = "it reads the return addresses on the stack";
	static const char switches[] = "it switches stacks";
	static const struct return_rule table[] = {
		{"setjmp", saves},
		{"_setjmp", saves},
		{"__setjmp", saves},
		{"sigsetjmp", saves},
		{"__sigsetjmp", saves},
		{"__sigsetjmp_cancel", saves},
		{"savectx", saves},
		{"__builtin_setjmp", saves},
		{"getcontext", saves},
		{"__getcontext", saves},
		{"swapcontext", switches},
		{"__swapcontext", switches},
		{"jump_fcontext", switches},
		{"ontop_fcontext", switches},
		{"coroutine_transfer*", switches},
		{"coro_transfer", switches},
		{"jl_swap_fiber", switches},
		{"_Unwind_*", reads},
		{"__cxa_throw", reads},
		{"__cxa_rethrow", reads},
		{"__gxx_personality_v0", reads},
		{"backtrace", reads},
		{"__backtrace", reads},
	};

	return FIND(table, function);
}

/* Functions of the C library that call their caller's code, or that threads begin or end with. */
static bool calls_back(const char *function)
{
	static const struct return_rule table[] = {
		{"qsort*", ""},
		{"__qsort*", ""},
		{"msort_*", ""},
		{"bsearch", ""},
		{"lfind", ""},
		{"lsearch", ""},
		{"tsearch", ""},
		{"__tsearch", ""},
		{"tdelete", ""},
		{"tfind", ""},
		{"twalk*", ""},
		{"__twalk*", ""},
		{"ftw*", ""},
		{"nftw*", ""},
		{"glob*", ""},
		{"scandir*", ""},
		{"pthread_once", ""},
		{"__pthread_once*", ""},
		{"call_once", ""},
		{"start_thread", ""},
		{"__libc_start_*", ""},
		{"pthread_exit", ""},
		{"__pthread_exit", ""},
		{"thrd_exit", ""},
		{"__pthread_unwind*", ""},
		{"__do_cancel", ""},
		{"dl_iterate_phdr", ""},
		{"__dl_iterate_phdr", ""},
		{"_dl_catch_*", ""},
		{"_dl_init*", ""},
		{"call_init*", ""},
		{"dlopen*", ""},
		{"_dl_open*", ""},
		{"clone", ""},
		{"__clone*", ""},
	};

	return FIND(table, function) != NULL;
}

/* Whether the module belongs to the C library. */
static bool is_of_c(const char *module)
{
	static const struct return_rule table[] = {{"libc.so*", ""}, {"libc-*", ""}, {"ld-*", ""},
		{"libpthread*", ""}, {"libm.so*", ""}, {"libm-*", ""}, {"libdl*", ""},
		{"librt*", ""}};

	return FIND(table, module) != NULL;
}

struct pid_return_danger pid_return_danger(
	const char *module, const char *function, unsigned leaves, unsigned own)
{
	struct pid_return_danger danger = {find_special(function), true};

	if (danger.reason)
		return danger;
	if (own & CODE_GO)
		danger.reason = "Go moves the stacks of its functions";
	else if (is_of_c(module) && !calls_back(function))
		danger.reason = NULL;
	else if (leaves & CODE_SWITCHES)
		danger.reason = "the program switches stacks";
	else if (leaves & CODE_THROWS)
		danger.reason = "an exception may unwind it";
	else if (leaves & CODE_EXITS) {
		danger.reason = "pthread_exit() or pthread_cancel() may unwind it";
		danger.is_certain = false;
	}
	return danger;
}
