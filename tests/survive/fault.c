/*
 * fault.c: makes one call of the C library fail, and ends the process at a chosen point.
 *
 * The objects of vmtap are linked with their calls of read() redirected to fault_read(), and so
 * on for each row of fault_table.h. The program that uses vmtap, and its client, keep the real
 * functions. A fault is one call site of a function, the number of the call there, and an error.
 *
 * The environment names a file, SURVIVE_FILE, which this process and its children map: there each
 * call site is listed with the number of its calls, and each test point (base/test_point.h) with
 * the number of times it was passed. SURVIVE_FAULT="SITE NUMBER ERROR" makes that call fail;
 * SURVIVE_KILL="POINT NUMBER" ends the process there by SIGKILL. Sites are numbered by address; the
 * programs are linked to fixed addresses, so an address names the same call in every run.
 */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ERRORS_MAX = 12 };

static const struct {
	const char *name;
	int errors[ERRORS_MAX];
} functions[] = {
#define FAULT(name, how, ...) {#name, {__VA_ARGS__}},
#define FAULT_CALL(name, number, ...) {#name, {__VA_ARGS__}},
#define FAULT_OWN(name, ...) {#name, {__VA_ARGS__}},
#include "fault_table.h"
#undef FAULT
#undef FAULT_CALL
#undef FAULT_OWN
};

enum {
#define FAULT(name, how, ...) FUNCTION_##name,
#define FAULT_CALL(name, number, ...) FUNCTION_##name,
#define FAULT_OWN(name, ...) FUNCTION_##name,
#include "fault_table.h"
#undef FAULT
#undef FAULT_CALL
#undef FAULT_OWN
	FUNCTION_NONE
};

static struct fault_file *file;
static struct fault_file private_file; /* when no file is named */
static uintptr_t fault_site;
static unsigned fault_number;
static int fault_error;
static char kill_point[64];
static unsigned kill_number;

__attribute__((constructor(101))) static void fault_start(void)
{
	const char *path = getenv("SURVIVE_FILE"), *fault = getenv("SURVIVE_FAULT"),
		   *point = getenv("SURVIVE_KILL");
	int descriptor = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	unsigned long site;

	file = &private_file;
	if (descriptor >= 0) {
		void *map = mmap(
			NULL, sizeof(*file), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
		if (map != MAP_FAILED)
			file = map;
		close(descriptor);
	}
	if (fault && sscanf(fault, "%lx %u %d", &site, &fault_number, &fault_error) == 3)
		fault_site = site;
	if (point && sscanf(point, "%63s %u", kill_point, &kill_number) != 2)
		*kill_point = '\0';
}

static struct fault_site *find_site(uintptr_t address)
{
	for (size_t i = address % FAULT_SITES_MAX, tries = 0; tries < FAULT_SITES_MAX;
		i = (i + 1) % FAULT_SITES_MAX, tries++) {
		uintptr_t none = 0;
		struct fault_site *site = &file->sites[i];
		if (atomic_compare_exchange_strong(&site->address, &none, address) ||
			none == address)
			return site;
	}
	return NULL;
}

/* Counts the call; returns the error with which it is to fail, 0 for none. */
static int fault_here(unsigned function, void *return_address)
{
	struct fault_site *site = file ? find_site((uintptr_t)return_address) : NULL;

	if (!site)
		return 0;
	site->function = function + 1;
	unsigned number = atomic_fetch_add(&site->count, 1) + 1;
	if (site->address != fault_site || number != fault_number)
		return 0;
	atomic_fetch_add(&file->failed, 1);
	return fault_error;
}

void vmtap_test_point(const char *name)
{
	for (unsigned i = 0; file && i < FAULT_POINTS_MAX; i++) {
		const char *none = NULL;
		struct fault_point *point = &file->points[i];
		if (!atomic_compare_exchange_strong(&point->key, &none, name) && none != name)
			continue;
		strncpy(point->name, name, sizeof(point->name) - 1);
		unsigned number = atomic_fetch_add(&point->count, 1) + 1;
		if (number == kill_number && !strcmp(name, kill_point))
			kill(getpid(), SIGKILL);
		return;
	}
}

/*
 * The functions take up to six integers or pointers and return one, so one form of wrapper can
 * pass on the arguments of each: on the machines that vmtap knows, a callee that takes fewer
 * ignores the rest.
 */
typedef long function(long, long, long, long, long, long);
#define PARAMETERS long a, long b, long c, long d, long e, long f
#define WRAP_MINUS(call)                                                                           \
	if (error) {                                                                               \
		errno = error;                                                                     \
		return -1;                                                                         \
	}                                                                                          \
	return call
#define WRAP_MAPPING(call) WRAP_MINUS(call)
#define WRAP_NOTHING(call)                                                                         \
	if (error) {                                                                               \
		errno = error;                                                                     \
		return 0;                                                                          \
	}                                                                                          \
	return call
#define WRAP_CODE(call) return error ? error : call
#define WRAP_CLOSED(call)                                                                          \
	long result = call;                                                                        \
	if (error) {                                                                               \
		errno = error;                                                                     \
		return -1;                                                                         \
	}                                                                                          \
	return result

/* real_NAME is NAME under a name that no header has declared with other types. */
#define FAULT(name, how, ...)                                                                      \
	extern function real_##name __asm__(#name);                                                \
	long fault_##name(PARAMETERS);                                                             \
	long fault_##name(PARAMETERS)                                                              \
	{                                                                                          \
		int error = fault_here(FUNCTION_##name, __builtin_return_address(0));              \
		WRAP_##how(real_##name(a, b, c, d, e, f));                                         \
	}
#define FAULT_CALL(name, number, ...)
#define FAULT_OWN(name, ...)
#include "fault_table.h"
#undef FAULT
#undef FAULT_CALL
#undef FAULT_OWN

/* Its last argument is passed in memory. */
FILE *fault_fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions);
FILE *fault_fopencookie(void *cookie, const char *mode, cookie_io_functions_t functions)
{
	int error = fault_here(FUNCTION_fopencookie, __builtin_return_address(0));

	if (!error)
		return fopencookie(cookie, mode, functions);
	errno = error;
	return NULL;
}

/* It may be given floating-point numbers, which have registers of their own. */
int fault_asprintf(char **text, const char *format, ...);
int fault_asprintf(char **text, const char *format, ...)
{
	int error = fault_here(FUNCTION_asprintf, __builtin_return_address(0)), length;
	va_list arguments;

	if (error) {
		errno = error;
		return -1;
	}
	va_start(arguments, format);
	length = vasprintf(text, format, arguments);
	va_end(arguments);
	return length;
}

long fault_syscall(long number, PARAMETERS);
long fault_syscall(long number, PARAMETERS)
{
	unsigned function = FUNCTION_NONE;
	int error;

	switch (number) {
#define FAULT(name, how, ...)
#define FAULT_OWN(name, ...)
#define FAULT_CALL(name, number, ...)                                                              \
	case number:                                                                               \
		function = FUNCTION_##name;                                                        \
		break;
#include "fault_table.h"
#undef FAULT
#undef FAULT_CALL
#undef FAULT_OWN
	default:
		return syscall(number, a, b, c, d, e, f);
	}
	error = fault_here(function, __builtin_return_address(0));
	if (error) {
		errno = error;
		return -1;
	}
	return syscall(number, a, b, c, d, e, f);
}

void fault_print(const struct fault_file *from)
{
	for (unsigned i = 0; i < FAULT_SITES_MAX; i++) {
		const struct fault_site *site = &from->sites[i];
		if (!site->function)
			continue;
		printf("site %lx %s %u", (unsigned long)site->address,
			functions[site->function - 1].name, site->count);
		for (const int *error = functions[site->function - 1].errors; *error; error++)
			printf(" %s=%d", strerrorname_np(*error), *error);
		printf("\n");
	}
	for (unsigned i = 0; i < FAULT_POINTS_MAX && from->points[i].count; i++)
		printf("point %s %u\n", from->points[i].name, from->points[i].count);
	printf("failed %u\n", from->failed);
}
