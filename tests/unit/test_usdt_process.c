/*
 * test_usdt_process.c: which thread of a process lives, up to the moment when it ends; the mappings
 * of a process that does nothing but execute programs.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "unit_main.h"
#include "usdt/process/process_images.h"

enum {
	FIRST_PAGES = 1 << 14,
	LAST_PAGES = 1 << 22, /* their tables take 32 MB */
	PAGE_BYTES = 4096,
	EXITING = 4 /* PF_EXITING */
};

struct state {
	char letter;
	unsigned int flags;
};

static struct state state_of(pid_t pid)
{
	struct state state = {'X', 0};
	char path[64], line[512] = "", *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	end = fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
	fclose(file);
	ck_assert_ptr_nonnull(end);
	ck_assert_int_eq(
		sscanf(end, ") %c %*d %*d %*d %*d %*d %u", &state.letter, &state.flags), 2);
	return state;
}

/* A process that takes the longer to end, the more pages it has. */
static pid_t start(size_t pages, int line[2])
{
	pid_t pid;

	ck_assert_int_eq(pipe(line), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid)
		return pid;
	char *memory = mmap(NULL, pages * PAGE_BYTES, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	volatile char sum = 0;

	if (memory == MAP_FAILED)
		_exit(1);
	madvise(memory, pages * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		sum += memory[i * PAGE_BYTES];
	if (write(line[1], "", 1) != 1)
		_exit(2);
	for (;;)
		pause();
}

/* Looks at a process from its last moment on. Whether it was seen ending, not ended. */
static bool watch_end(size_t pages)
{
	bool was_ending = false;
	int line[2], status;
	pid_t pid = start(pages, line), thread;
	struct state before = {0};
	char byte;

	ck_assert_int_eq(read(line[0], &byte, 1), 1);
	ck_assert_int_eq(usdt_process_thread(pid), pid);
	kill(pid, SIGKILL);
	while (before.letter != 'Z') {
		before = state_of(pid);
		thread = usdt_process_thread(pid);
		if (before.letter == 'Z' || before.flags & EXITING)
			ck_assert_int_eq(thread, 0);
		was_ending |= before.letter != 'Z' && before.flags & EXITING;
	}
	close(line[0]);
	close(line[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return was_ending;
}

START_TEST(an_ending_process)
{
	size_t pages = FIRST_PAGES;

	while (!watch_end(pages)) {
		pages *= 2;
		ck_assert_msg(pages <= LAST_PAGES, "no process was seen while it was ending");
	}
}
END_TEST

static int ready[2];

static void *outlive(void *leader)
{
	long thread = syscall(SYS_gettid);

	pthread_join(*(pthread_t *)leader, NULL);
	if (write(ready[1], &thread, sizeof(thread)) != sizeof(thread))
		_exit(1);
	for (;;)
		pause();
}

START_TEST(a_process_whose_main_thread_has_ended)
{
	static pthread_t leader;
	pthread_t other;
	long thread;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		leader = pthread_self();
		pthread_create(&other, NULL, outlive, &leader);
		pthread_exit(NULL);
	}
	ck_assert_int_eq(read(ready[0], &thread, sizeof(thread)), sizeof(thread));
	ck_assert_int_eq(usdt_process_thread(pid), thread);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_eq(usdt_process_thread(pid), 0);
	close(ready[0]);
	close(ready[1]);
}
END_TEST

/* Between two programs it has no mappings for a moment. */
START_TEST(a_process_that_executes_programs)
{
	char script[] = "exec sh -c \"$1\" sh \"$1\"";
	struct usdt_process *process;
	struct error error = {""};
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* execution keeps it */
		execlp("sh", "sh", "-c", script, "sh", script, NULL);
		_exit(127);
	}
	for (int i = 0; i < 3000; i++) {
		ck_assert_msg(!usdt_process_map(pid, &process, &error), "%d: %s", i, error.text);
		usdt_process_free(process);
	}
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ck_assert_int_ne(usdt_process_map(pid, &process, &error), 0);
}
END_TEST

void unit_tests(TCase *tests)
{
	unit_in_one_process();
	tcase_add_test(tests, an_ending_process);
	tcase_add_test(tests, a_process_whose_main_thread_has_ended);
	tcase_add_test(tests, a_process_that_executes_programs);
}
