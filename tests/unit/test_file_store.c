/*
 * test_file_store.c: a file is opened and read once for all processes that map it; one that has
 * been changed is another; what has no name is counted.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit_main.h"
#include "usdt/process/address.h"
#include "usdt/process/file_store.h"
#include "usdt/process/process_symbols.h"
#include "usdt/unwind/unwind.h"

enum { CHILDREN = 40, FILES = 300 };

__attribute__((noinline)) static int store_landmark(int number)
{
	__asm__ volatile("");
	return number + 1;
}

static pid_t start_child(void)
{
	pid_t child = fork();

	while (child == 0)
		pause();
	ck_assert_int_gt(child, 0);
	return child;
}

static void end_child(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

START_TEST(test_many_processes)
{
	struct usdt_addresses *addresses[CHILDREN];
	pid_t children[CHILDREN];
	struct file_store store;
	struct symbol found;
	size_t opened = 0;

	usdt_addresses_store(&store);
	for (int i = 0; i < CHILDREN; i++) {
		children[i] = start_child();
		ck_assert_int_eq(usdt_addresses_new(children[i], &store, &addresses[i]), 0);
		opened = i ? opened : store.opened_ever;
		ck_assert_uint_eq(store.opened_ever, opened);
	}
	ck_assert_uint_gt(opened, 0);
	ck_assert_uint_eq(store.read_ever, 0);
	for (int i = 0; i < CHILDREN; i++) {
		end_child(children[i]);
		ck_assert(usdt_addresses_find(addresses[i], (uintptr_t)store_landmark, &found));
		ck_assert_str_eq(found.function, "store_landmark");
	}
	ck_assert_uint_eq(store.read_ever, 1);
	for (int i = 0; i < CHILDREN; i++)
		usdt_addresses_free(addresses[i]);
	file_store_end(&store);
}
END_TEST

START_TEST(test_unwinding)
{
	struct usdt_unwind_files *files = usdt_unwind_files_new(NULL);
	const struct file_store *store = usdt_unwind_files_store(files);
	size_t opened = 0;

	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = start_child();
		struct usdt_unwind *unwind;

		ck_assert_int_eq(usdt_unwind_new(child, files, &unwind), 0);
		opened = i ? opened : store->opened_ever;
		ck_assert_uint_eq(store->opened_ever, opened);
		usdt_unwind_free(unwind);
		end_child(child);
	}
	usdt_unwind_files_free(files);
}
END_TEST

/* Maps a page of a file as code. */
static void *map_file(const char *path, const char *text)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0700);
	void *mapped;

	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(write(file, text, strlen(text)), (ssize_t)strlen(text));
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	ck_assert_ptr_ne(mapped, MAP_FAILED);
	close(file);
	return mapped;
}

/* More files than may be open; and the same file before and after it was changed. */
START_TEST(test_many_files)
{
	char folder[] = "/tmp/file-store-XXXXXX", path[64];
	struct usdt_addresses *addresses;
	struct file_store store;
	void *mapped[FILES];
	size_t opened;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	for (int i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		mapped[i] = map_file(path, "text");
	}
	usdt_addresses_store(&store);
	ck_assert_int_eq(usdt_addresses_new(getpid(), &store, &addresses), 0);
	opened = store.opened_ever;
	ck_assert_uint_ge(opened, FILES);
	ck_assert_uint_le(store.open_count, FILES / 2);
	ck_assert_uint_eq(store.open_count + store.read_ever, opened);
	usdt_addresses_free(addresses);
	snprintf(path, sizeof(path), "%s/%d", folder, 0);
	ck_assert_int_eq(chmod(path, 0755), 0);
	ck_assert_int_eq(usdt_addresses_new(getpid(), &store, &addresses), 0);
	ck_assert_uint_eq(store.opened_ever, opened + 1);
	usdt_addresses_free(addresses);
	file_store_end(&store);
	for (int i = 0; i < FILES; i++) {
		munmap(mapped[i], 4096);
		snprintf(path, sizeof(path), "%s/%d", folder, i);
		unlink(path);
	}
	rmdir(folder);
}
END_TEST

START_TEST(test_unnamed)
{
	struct process_symbols *symbols = process_symbols_new(NULL);
	const struct symbol_lookup *lookup = process_symbols_lookup(symbols);
	pid_t child = start_child();
	struct symbol found;
	char text[512];

	ck_assert(lookup->find(
		lookup->context, (uint64_t)getpid(), (uintptr_t)store_landmark, &found));
	ck_assert(!lookup->find(lookup->context, (uint64_t)getpid(), 8, &found));
	ck_assert(!process_symbols_unnamed(symbols, text, sizeof(text)));
	ck_assert_str_eq(text,
		"1 of 2 addresses that were shown have no function's name: 1 in memory without a "
		"file");
	end_child(child);
	ck_assert(
		!lookup->find(lookup->context, (uint64_t)child, (uintptr_t)store_landmark, &found));
	ck_assert(process_symbols_unnamed(symbols, text, sizeof(text)));
	ck_assert_str_eq(text,
		"2 of 3 addresses that were shown have no function's name: 1 of processes that "
		"ended before they could be examined, 1 in memory without a file");
	process_symbols_free(symbols);
	ck_assert_int_eq(store_landmark(1), 2);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_many_processes);
	tcase_add_test(tests, test_unwinding);
	tcase_add_test(tests, test_many_files);
	tcase_add_test(tests, test_unnamed);
}
