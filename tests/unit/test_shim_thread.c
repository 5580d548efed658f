/*
 * test_shim_thread.c: the library's own thread: under which policy it runs, and how little it
 * costs the process.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>

#include "shim/fixture.h"
#include "wire/wire.h"

static int exit_status(pid_t child)
{
	int status = -1;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* The library's thread in this process, or 0. */
static pid_t find_thread(void)
{
	DIR *folder = opendir("/proc/self/task");
	struct dirent *entry;
	pid_t found = 0;

	while (folder && !found && (entry = readdir(folder))) {
		char path[300], name[32] = "";
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		FILE *file = fopen(path, "r");
		if (file && fgets(name, sizeof(name), file) && strcmp(name, "vmtap\n") == 0)
			found = (pid_t)strtol(entry->d_name, NULL, 10);
		if (file)
			fclose(file);
	}
	if (folder)
		closedir(folder);
	return found;
}

/* ---- its policy ---- */

enum { NOT_ALLOWED = 77 };

static int start_under(int policy)
{
	const struct sched_param least = {.sched_priority = sched_get_priority_min(policy)};
	struct sched_param own;
	struct reader reader;

	alarm(60);
	fixture_set_path();
	if (sched_setscheduler(0, policy, &least))
		return NOT_ALLOWED;
	/* The answer to a subscription proves that the thread has set itself up. */
	if (vmtap_start(NULL) || !reader_start(&reader, fixture_path, 0))
		return 2;
	pid_t thread = find_thread();
	if (!thread || sched_getscheduler(thread) != policy || sched_getparam(thread, &own) ||
		own.sched_priority != least.sched_priority)
		return 3;
	VMTAP_GC_IDLE(1);
	if (!reader_finish(&reader) || reader_received(&reader) != 1)
		return 4;
	vmtap_stop();
	return 0;
}

START_TEST(it_keeps_the_policy_that_it_inherits)
{
	static const int policies[] = {SCHED_OTHER, SCHED_BATCH, SCHED_IDLE, SCHED_FIFO, SCHED_RR};
	pid_t child = fork();

	if (child == 0)
		_exit(start_under(policies[_i]));
	int status = exit_status(child);
	ck_assert_msg(status == 0 || (status == NOT_ALLOWED && geteuid() != 0), "policy %d: %d",
		policies[_i], status);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("shim: thread");
	TCase *tests = tcase_create("thread");

	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, it_keeps_the_policy_that_it_inherits, 0, 5);
	suite_add_tcase(suite, tests);
	return fixture_run(suite);
}
