/*
 * test_heard_code.c: what was heard of processes' mappings: the latest counts, whatever the order
 * in which it is told, children have their parent's, and processes that have ended have names by
 * it.
 */
#include "usdt/process/heard_code.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "unit_main.h"
#include "usdt/process/process_images.h"
#include "usdt/process/process_symbols.h"

enum { NOBODY = 0x7ffffff0 }; /* no process has this number */

static struct heard_mapping mapping(uint64_t begin, uint64_t end, const char *path, uint64_t time)
{
	return (struct heard_mapping){.begin = begin, .end = end, .path = path, .time = time};
}

static void add(struct heard_code *heard, uint32_t pid, uint64_t begin, uint64_t end,
	const char *path, uint64_t time)
{
	struct heard_mapping added = mapping(begin, end, path, time);

	heard_code_add(heard, pid, &added);
}

/* The path at an address; "": none. */
static const char *path_at(const struct heard_code *heard, uint32_t pid, uint64_t address)
{
	size_t count;
	const struct heard_mapping *mappings = heard_code_find(heard, pid, &count);

	for (size_t i = 0; i < count; i++)
		if (mappings[i].begin <= address && address < mappings[i].end)
			return mappings[i].path;
	return "";
}

START_TEST(test_order)
{
	struct heard_code *heard = heard_code_new();
	size_t count;

	ck_assert(heard_code_begin(heard));
	ck_assert(!heard_code_begin(heard));
	ck_assert_ptr_null(heard_code_find(heard, 7, &count));
	add(heard, 7, 0x1000, 0x3000, "/first", 10);
	add(heard, 7, 0x5000, 0x6000, "/other", 11);
	add(heard, 7, 0x2000, 0x4000, "/second", 20);
	add(heard, 7, 0x3000, 0x4000, "/late", 15); /* told late, replaced long since */
	ck_assert_str_eq(path_at(heard, 7, 0x1000), "");
	ck_assert_str_eq(path_at(heard, 7, 0x2000), "/second");
	ck_assert_str_eq(path_at(heard, 7, 0x3fff), "/second");
	ck_assert_str_eq(path_at(heard, 7, 0x5fff), "/other");
	ck_assert_str_eq(path_at(heard, 8, 0x5fff), "");
	heard_code_free(heard);
}
END_TEST

START_TEST(test_fork)
{
	struct heard_code *heard = heard_code_new();

	add(heard, 7, 0x1000, 0x2000, "/before", 10);
	add(heard, 7, 0x3000, 0x4000, "/after", 30);
	/* of an earlier process 8, and of the child, which was heard of on another processor */
	add(heard, 8, 0x5000, 0x6000, "/stranger", 5);
	add(heard, 8, 0x7000, 0x8000, "/own", 25);
	heard_code_fork(heard, 7, 8, 20);
	ck_assert_str_eq(path_at(heard, 8, 0x1000), "/before");
	ck_assert_str_eq(path_at(heard, 8, 0x3000), "");
	ck_assert_str_eq(path_at(heard, 8, 0x5000), "");
	ck_assert_str_eq(path_at(heard, 8, 0x7000), "/own");
	/* of a parent of which nothing was heard, what it has now is read */
	heard_code_fork(heard, (uint32_t)getpid(), 9, 40);
	ck_assert_str_ne(path_at(heard, 9, (uintptr_t)heard_code_fork), "");
	heard_code_fork(heard, NOBODY, 10, 40);
	ck_assert_str_eq(path_at(heard, 10, 0x1000), "");
	heard_code_free(heard);
}
END_TEST

START_TEST(test_many)
{
	enum { PROCESSES = 50000, KNOWN = 8000, MAPPINGS = 3000 };
	struct heard_code *heard = heard_code_new();
	size_t count;

	for (uint32_t i = 1; i <= PROCESSES; i++)
		add(heard, i, i, i + 1, "/file", i);
	for (uint32_t i = PROCESSES; i > PROCESSES - KNOWN; i--)
		ck_assert_str_eq(path_at(heard, i, i), "/file");
	ck_assert_str_eq(path_at(heard, 1, 1), "");
	/* one that maps and unmaps for ever has a bound */
	for (uint32_t i = 1; i <= MAPPINGS; i++)
		add(heard, 1, 2 * i, 2 * i + 1, "/file", i);
	ck_assert_ptr_nonnull(heard_code_find(heard, 1, &count));
	ck_assert_uint_lt(count, MAPPINGS);
	ck_assert_str_eq(path_at(heard, 1, 2ul * MAPPINGS), "/file");
	heard_code_free(heard);
}
END_TEST

/* The mapping of this program's code, as a process that has ended might have had it. */
static struct heard_mapping own_code(uint64_t address)
{
	struct usdt_process *process;
	struct heard_mapping found = {0};
	struct error error;

	ck_assert_int_eq(usdt_process_map(getpid(), &process, &error), 0);
	for (size_t i = 0; i < process->object_count; i++) {
		const struct usdt_object *object = &process->objects[i];

		for (size_t j = 0; j < object->mapping_count; j++)
			if (object->mappings[j].begin <= address &&
				address < object->mappings[j].end)
				found = (struct heard_mapping){object->mappings[j].begin,
					object->mappings[j].end, object->mappings[j].offset,
					object->inode, object->device_major, object->device_minor,
					clock_monotonic(), strdup(object->path)};
	}
	usdt_process_free(process);
	ck_assert_ptr_nonnull(found.path);
	return found;
}

__attribute__((noinline)) static int heard_landmark(int number)
{
	__asm__ volatile("");
	return number + 1;
}

/* The name of the landmark in a process of which a mapping was heard. */
static const char *name_by(const struct heard_mapping *heard_mapping, uint32_t pid, char *name)
{
	struct heard_code *heard = heard_code_new();
	struct process_symbols *symbols = process_symbols_new(heard);
	const struct symbol_lookup *lookup = process_symbols_lookup(symbols);
	struct symbol found = {0};

	heard_code_add(heard, pid, heard_mapping);
	*name = '\0';
	if (lookup->find(lookup->context, pid, (uintptr_t)heard_landmark, &found) && found.function)
		snprintf(name, 100, "%s", found.function);
	process_symbols_free(symbols);
	heard_code_free(heard);
	return name;
}

START_TEST(test_names)
{
	struct heard_mapping mapped = own_code((uintptr_t)heard_landmark);
	const char *path = mapped.path, *parent = getenv("TMPDIR");
	char name[100], copy[128], command[512];
	struct stat status;

	ck_assert_int_eq(heard_landmark(1), 2);
	ck_assert_str_eq(name_by(&mapped, NOBODY, name), "heard_landmark");
	/* another file, or one that has been written since */
	mapped.inode++;
	ck_assert_str_eq(name_by(&mapped, NOBODY, name), "");
	snprintf(copy, sizeof(copy), "%.60s/heard-XXXXXX", parent ? parent : "/tmp");
	close(mkstemp(copy));
	snprintf(command, sizeof(command), "cp '%.200s' '%s'", path, copy);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(stat(copy, &status), 0);
	mapped.path = copy;
	mapped.inode = status.st_ino;
	mapped.device_major = major(status.st_dev);
	mapped.device_minor = minor(status.st_dev);
	mapped.time = clock_monotonic();
	ck_assert_str_eq(name_by(&mapped, NOBODY, name), "heard_landmark");
	mapped.time -= 3600 * CLOCK_NS_PER_S;
	ck_assert_str_eq(name_by(&mapped, NOBODY, name), "");
	unlink(copy);
	mapped.time = clock_monotonic();
	ck_assert_str_eq(name_by(&mapped, NOBODY, name), "");
	free((char *)(uintptr_t)path);
}
END_TEST

/* What a process has now counts more than what was heard of it, or of an earlier one. */
START_TEST(test_alive)
{
	struct heard_mapping mapped = own_code((uintptr_t)heard_landmark);
	const char *path = mapped.path;
	char name[100];

	mapped.path = "/nonexistent";
	mapped.begin -= 4096;
	ck_assert_str_eq(name_by(&mapped, (uint32_t)getpid(), name), "heard_landmark");
	free((char *)(uintptr_t)path);
}
END_TEST

/* The kernel's own part of a process has names, too; its size is a few pages. */
START_TEST(test_vdso)
{
	uint64_t begin = getauxval(AT_SYSINFO_EHDR);
	struct process_symbols *symbols = process_symbols_new(NULL);
	const struct symbol_lookup *lookup = process_symbols_lookup(symbols);
	struct symbol found = {0};
	size_t named = 0;

	for (uint64_t at = begin; begin && at < begin + 4096; at += 16) {
		if (!lookup->find(lookup->context, (uint64_t)getpid(), at, &found) ||
			strcmp(found.module, "[vdso]") != 0)
			continue;
		ck_assert_uint_eq(found.module_begin, begin);
		named += found.function && strstr(found.function, "clock_gettime");
	}
	ck_assert(!begin || named);
	process_symbols_free(symbols);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_vdso);
	tcase_add_test(tests, test_order);
	tcase_add_test(tests, test_fork);
	tcase_add_test(tests, test_many);
	tcase_add_test(tests, test_names);
	tcase_add_test(tests, test_alive);
}
