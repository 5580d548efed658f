/*
 * test_shim_places.c: where the socket is: default places, names that are taken, chosen paths,
 * other users; and who may connect.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

static int exit_status(pid_t child)
{
	int status = -1;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- the socket's place ---- */

static int start_at(const char *path)
{
	struct vmtap_options options = {.size = sizeof(options), .socket = path};

	return vmtap_start(&options);
}

START_TEST(the_socket_is_private)
{
	char folder[200];
	struct stat status;

	umask(0);
	fixture_start();
	ck_assert_int_eq(stat(fixture_path, &status), 0);
	ck_assert(S_ISSOCK(status.st_mode));
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
	snprintf(folder, sizeof(folder), "%s/vmtap", fixture_folder);
	ck_assert_int_eq(stat(folder, &status), 0);
	ck_assert_uint_eq(status.st_mode & 07777, 0700);
}
END_TEST

START_TEST(a_path_of_the_authors_choice)
{
	char path[400];
	struct reader reader;

	snprintf(path, sizeof(path), "%s/own.socket", fixture_folder);
	ck_assert_int_eq(start_at(path), 0);
	ck_reader(&reader, reader_start(&reader, path, 0));
	reader_close(&reader);
	vmtap_stop();
	ck_assert_int_ne(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/missing/own.socket", fixture_folder);
	ck_assert_int_eq(start_at(path), -ENOENT);
	/* As long as an address can be, and one byte longer. */
	int rest = 107 - (int)strlen(fixture_folder) - 1;
	ck_assert_int_gt(rest, 0);
	snprintf(path, sizeof(path), "%s/%0*d", fixture_folder, rest, 1);
	ck_assert_uint_eq(strlen(path), 107);
	ck_assert_int_eq(start_at(path), 0);
	ck_reader(&reader, reader_start(&reader, path, 0));
	reader_close(&reader);
	vmtap_stop();
	ck_assert_int_ne(access(path, F_OK), 0);
	strcat(path, "0");
	ck_assert_int_eq(start_at(path), -ENAMETOOLONG);
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

/* The default path may be longer than a socket address can be. */
START_TEST(a_runtime_folder_of_a_long_name)
{
	char deep[300], path[400];

	snprintf(deep, sizeof(deep), "%s/%0120d", fixture_folder, 1);
	ck_assert_int_eq(mkdir(deep, 0700), 0);
	setenv("XDG_RUNTIME_DIR", deep, 1);
	fixture_start();
	snprintf(path, sizeof(path), "%s/vmtap/%d", deep, (int)getpid());
	ck_assert_int_eq(access(path, F_OK), 0);
	vmtap_stop();
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_stale_socket_is_replaced_a_live_one_never)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char path[300];
	struct reader reader;
	struct stat status;
	int other;

	snprintf(path, sizeof(path), "%s/own", fixture_folder);
	memcpy(address.sun_path, path, strlen(path) + 1); /* a short one */
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(other, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(other, 1), 0);
	ck_assert_int_eq(start_at(path), 0); /* in the default place */
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	reader_close(&reader);
	vmtap_stop();
	ck_assert_int_eq(access(path, F_OK), 0);
	close(other);
	ck_assert_int_eq(start_at(path), 0);
	ck_reader(&reader, reader_start(&reader, path, 0));
	reader_close(&reader);
	vmtap_stop();
	/* A file that is not a socket must not be removed. */
	close(open(path, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(start_at(path), -EEXIST);
	ck_assert_int_eq(stat(path, &status), 0);
	ck_assert(S_ISREG(status.st_mode));
	/* Nor must a link, whatever it points to. */
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/nowhere", path), 0);
	ck_assert_int_eq(start_at(path), -ELOOP);
	ck_assert_int_eq(lstat(path, &status), 0);
	ck_assert(S_ISLNK(status.st_mode));
	ck_assert_int_eq(unlink(path), 0);
	/* Nor must another user's socket, even a dead one. */
	if (geteuid() != 0)
		return;
	other = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(other, (struct sockaddr *)&address, sizeof(address)), 0);
	close(other);
	ck_assert_int_eq(chown(path, 65534, 65534), 0);
	ck_assert_int_eq(start_at(path), -EPERM);
	ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

/* Several processes find the same dead socket: one of them gets the path, and no other takes it
 * away. */
START_TEST(several_replace_one_stale_socket)
{
	enum { RACERS = 8, ROUNDS = 10 };
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct reader reader;

	snprintf(address.sun_path, sizeof(address.sun_path), "%.90s/own", fixture_folder);
	for (unsigned round = 0; round < ROUNDS; round++) {
		int other = socket(AF_UNIX, SOCK_STREAM, 0), go[2], done[2];
		unsigned winners = 0;
		pid_t children[RACERS];
		char byte;

		ck_assert_int_eq(bind(other, (struct sockaddr *)&address, sizeof(address)), 0);
		close(other);
		ck_assert_int_eq(pipe(go), 0);
		ck_assert_int_eq(pipe(done), 0);
		for (unsigned i = 0; i < RACERS; i++) {
			children[i] = fork();
			if (children[i])
				continue;
			close(go[1]);
			if (read(go[0], &byte, 1) != 0) /* the end of the pipe starts them all */
				_exit(2);
			int error = start_at(address.sun_path);
			fixture_set_path(); /* where the others serve */
			bool wins = access(fixture_path, F_OK) != 0;
			if (error || write(done[1], wins ? "y" : "n", 1) != 1)
				_exit(3);
			for (;;)
				pause();
		}
		close(go[0]);
		close(go[1]);
		for (unsigned i = 0; i < RACERS; i++) {
			ck_assert_int_eq(read(done[0], &byte, 1), 1);
			winners += byte == 'y';
		}
		ck_assert_uint_eq(winners, 1);
		ck_reader(&reader, reader_start(&reader, address.sun_path, 0));
		reader_close(&reader);
		for (unsigned i = 0; i < RACERS; i++) {
			kill(children[i], SIGKILL);
			waitpid(children[i], NULL, 0);
		}
		close(done[0]);
		close(done[1]);
		unlink(address.sun_path);
	}
}
END_TEST

START_TEST(a_runtime_folder_that_is_not_ours)
{
	char folder[200], elsewhere[200], fallback[200];
	struct stat status;

	snprintf(folder, sizeof(folder), "%s/vmtap", fixture_folder);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", fixture_folder);
	snprintf(
		fallback, sizeof(fallback), "/tmp/vmtap-%u/%d", (unsigned)geteuid(), (int)getpid());
	switch (_i) {
	case 0: /* a symbolic link to a folder of ours */
		ck_assert_int_eq(mkdir(elsewhere, 0700), 0);
		ck_assert_int_eq(symlink(elsewhere, folder), 0);
		break;
	case 1: /* open to others */
		ck_assert_int_eq(mkdir(folder, 0700), 0);
		ck_assert_int_eq(chmod(folder, 0750), 0);
		break;
	case 2: /* a file */
		close(open(folder, O_CREAT | O_WRONLY, 0600));
		break;
	case 3: /* another user's */
		if (geteuid() != 0)
			return;
		ck_assert_int_eq(mkdir(folder, 0700), 0);
		ck_assert_int_eq(chown(folder, 65534, 65534), 0);
		break;
	case 4: /* no such directory */
		setenv("XDG_RUNTIME_DIR", "/nonexistent/place", 1);
		break;
	case 5:
		unsetenv("XDG_RUNTIME_DIR");
		break;
	default: /* relative paths mean nothing */
		setenv("XDG_RUNTIME_DIR", "relative", 1);
		break;
	}
	fixture_start();
	ck_assert_int_ne(access(fixture_path, F_OK), 0);
	ck_assert_int_eq(stat(fallback, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
	vmtap_stop();
	ck_assert_int_ne(access(fallback, F_OK), 0);
}
END_TEST

/* ---- names that are taken ---- */

/* A socket that somebody listens at, or a dead one. Returns the descriptor, or -1. */
static int make_socket(const char *path, bool lives)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%.100s", path);
	ck_assert_int_eq(bind(made, (struct sockaddr *)&address, sizeof(address)), 0);
	if (lives) {
		ck_assert_int_eq(listen(made, 1), 0);
		return made;
	}
	close(made);
	return -1;
}

/* The number of a process that existed. */
static pid_t ended_process(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	ck_assert_int_eq(exit_status(child), 0);
	return child;
}

START_TEST(a_name_that_somebody_has_taken)
{
	char folder[200], path[300];
	struct reader reader;
	int others[3];

	snprintf(folder, sizeof(folder), "%s/vmtap", fixture_folder);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	others[0] = make_socket(fixture_path, true);
	for (int i = 1; i < 3; i++) {
		snprintf(path, sizeof(path), "%s.%d", fixture_path, i);
		others[i] = make_socket(path, i == 1);
	}
	fixture_start(); /* the second alternative is a dead process's */
	ck_reader(&reader, reader_start(&reader, path, 0));
	reader_close(&reader);
	vmtap_stop();
	ck_assert_int_ne(access(path, F_OK), 0);
	ck_assert_int_eq(access(fixture_path, F_OK), 0);
	close(others[0]);
	close(others[1]);
	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	reader_close(&reader);
}
END_TEST

/* Sockets of dead processes are removed. What is not a socket of a dead process of ours stays. */
START_TEST(dead_sockets_are_swept)
{
	char folder[200], dead[300], second[310], live[310], file[310], others[300];
	int listener;

	snprintf(folder, sizeof(folder), "%s/vmtap", fixture_folder);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	snprintf(dead, sizeof(dead), "%s/%d", folder, (int)ended_process());
	snprintf(second, sizeof(second), "%s.7", dead);
	snprintf(live, sizeof(live), "%s.8", dead);
	snprintf(file, sizeof(file), "%s.9", dead);
	snprintf(others, sizeof(others), "%s/a%d", folder, (int)ended_process());
	make_socket(dead, false);
	make_socket(second, false);
	make_socket(others, false);
	listener = make_socket(live, true);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	fixture_start();
	ck_assert_int_ne(access(dead, F_OK), 0);
	ck_assert_int_ne(access(second, F_OK), 0);
	ck_assert_int_eq(access(live, F_OK), 0);
	ck_assert_int_eq(access(file, F_OK), 0);
	ck_assert_int_eq(access(others, F_OK), 0);
	close(listener);
}
END_TEST

/* ---- chosen paths ---- */

START_TEST(a_chosen_path_contains_the_pid)
{
	char chosen[300], path[300], log[300];
	struct stat status;
	struct reader reader;
	int rest;

	snprintf(path, sizeof(path), "%s/vm-%d-%%", fixture_folder, (int)getpid());
	snprintf(chosen, sizeof(chosen), "%s/vm-%%p-%%%%", fixture_folder);
	for (unsigned i = 0; i < 2; i++) {
		if (i)
			setenv("VMTAP_SOCKET", chosen, 1);
		ck_assert_int_eq(start_at(i ? "/nonexistent" : chosen), 0);
		ck_reader(&reader, reader_start(&reader, path, 0));
		reader_close(&reader);
		vmtap_stop();
		ck_assert_int_ne(access(path, F_OK), 0);
	}
	unsetenv("VMTAP_SOCKET");
	/* what counts is the length with the number in it */
	rest = 107 - (int)strlen(fixture_folder) - 1;
	snprintf(path, sizeof(path), "%d", (int)getpid());
	rest -= (int)strlen(path);
	snprintf(chosen, sizeof(chosen), "%s/%0*d%%p", fixture_folder, rest, 1);
	ck_assert_int_eq(start_at(chosen), 0);
	vmtap_stop();
	snprintf(chosen, sizeof(chosen), "%s/%0*d%%p", fixture_folder, rest + 1, 1);
	ck_assert_int_eq(start_at(chosen), -ENAMETOOLONG);
	/* each process that inherits the variable writes a log of its own */
	snprintf(chosen, sizeof(chosen), "%s/log-%%p", fixture_folder);
	setenv("VMTAP_LOG", chosen, 1);
	for (unsigned i = 0; i < 2; i++) {
		pid_t child = fork();
		if (child == 0) {
			if (vmtap_start(NULL))
				_exit(2);
			VMTAP_GC_IDLE(1);
			vmtap_stop();
			_exit(strcmp(getenv("VMTAP_LOG"), chosen) ? 3 : 0);
		}
		ck_assert_int_eq(exit_status(child), 0);
		snprintf(log, sizeof(log), "%s/log-%d", fixture_folder, (int)child);
		ck_assert_int_eq(stat(log, &status), 0);
		ck_assert_int_gt(status.st_size, 0);
	}
}
END_TEST

/* A VM's author starts the stream in each worker with one and the same path. */
START_TEST(a_forked_worker_with_the_authors_path)
{
	char path[300], worker[300];
	struct reader reader;
	int ready[2];
	pid_t child;
	char byte;

	snprintf(path, sizeof(path), "%s/own", fixture_folder);
	ck_assert_int_eq(start_at(path), 0);
	ck_assert_int_eq(pipe(ready), 0);
	fixture_await_sleep();
	child = fork();
	if (child == 0) {
		if (start_at(path) || write(ready[1], "y", 1) != 1)
			_exit(2);
		while (!VMTAP_GC_WORK_ENABLED())
			sched_yield();
		VMTAP_GC_WORK(1);
		vmtap_stop();
		_exit(0);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	snprintf(worker, sizeof(worker), "%s/vmtap/%d", fixture_folder, (int)child);
	ck_reader(&reader, reader_start(&reader, worker, 0));
	ck_assert_uint_eq(reader.pid, (uint32_t)child);
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_uint_eq(reader_received(&reader), 1);
	reader_close(&reader);
	ck_assert_int_eq(exit_status(child), 0);
	ck_reader(&reader, reader_start(&reader, path, 0));
	ck_assert_uint_eq(reader.pid, (uint32_t)getpid());
	reader_close(&reader);
}
END_TEST

/* ---- other users ---- */

/* Another user holds a lock on the directory of a chosen path for as long as the test runs. */
START_TEST(the_lock_of_another_user)
{
	struct reader reader;
	char path[300], byte;
	int ready[2], end[2];
	pid_t child;

	if (geteuid() != 0) {
		fprintf(stderr, "skipped: needs root to become another user\n");
		return;
	}
	snprintf(path, sizeof(path), "%s/own", fixture_folder);
	ck_assert_int_eq(chmod(fixture_folder, 0755), 0);
	ck_assert_int_eq(pipe(ready), 0);
	ck_assert_int_eq(pipe(end), 0);
	child = fork();
	if (child == 0) {
		close(end[1]);
		if (chdir(fixture_folder) || setgid(65534) || setuid(65534))
			_exit(2);
		int folder = open(".", O_RDONLY | O_DIRECTORY);
		if (folder < 0 || flock(folder, LOCK_EX) || write(ready[1], "y", 1) != 1)
			_exit(3);
		_exit(read(end[0], &byte, 1) == 0 ? 0 : 4);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	make_socket(path, false);
	ck_assert_int_eq(start_at(path), 0);
	/* the dead socket was replaced, which needs a lock */
	ck_reader(&reader, reader_start(&reader, path, 0));
	reader_close(&reader);
	close(end[0]);
	close(end[1]);
	ck_assert_int_eq(exit_status(child), 0);
}
END_TEST

/* Root with the environment of a user, as after su without a dash. */
START_TEST(the_runtime_folder_of_another_user)
{
	char folder[200], fallback[200];

	if (geteuid() != 0) {
		fprintf(stderr, "skipped: needs root\n");
		return;
	}
	ck_assert_int_eq(chown(fixture_folder, 65534, 65534), 0);
	fixture_start();
	snprintf(folder, sizeof(folder), "%s/vmtap", fixture_folder);
	ck_assert_int_ne(access(folder, F_OK), 0);
	snprintf(fallback, sizeof(fallback), "/tmp/vmtap-0/%d", (int)getpid());
	ck_assert_int_eq(access(fallback, F_OK), 0);
}
END_TEST

/* ---- who may connect ---- */

START_TEST(another_user_is_refused)
{
	struct reader reader;
	char path[300];
	pid_t child;

	if (geteuid() != 0) {
		fprintf(stderr, "skipped: needs root to become another user\n");
		return;
	}
	snprintf(path, sizeof(path), "%s/own", fixture_folder);
	ck_assert_int_eq(start_at(path), 0);
	/* Even where permissions allow it: a socket that has been made public. */
	ck_assert_int_eq(chmod(path, 0666), 0);
	ck_assert_int_eq(chmod(fixture_folder, 0755), 0);
	child = fork();
	if (child == 0) {
		char base[200];
		snprintf(base, sizeof(base), "%s", fixture_folder);
		if (chdir(base) || setgid(65534) || setuid(65534))
			_exit(2);
		if (!reader_open(&reader, "own"))
			_exit(errno == EACCES ? 0 : 3);
		while (reader_step(&reader, 10000))
			if (reader.header_done)
				_exit(4);
		_exit(reader.closed ? 0 : 5);
	}
	ck_assert_int_eq(exit_status(child), 0);
	/* The server still works. */
	ck_reader(&reader, reader_start(&reader, path, 0));
	reader_close(&reader);
}
END_TEST

START_TEST(root_may_connect)
{
	int ready[2];
	char path[300], byte;
	struct reader reader;
	pid_t child;

	if (geteuid() != 0) {
		fprintf(stderr, "skipped: needs root\n");
		return;
	}
	ck_assert_int_eq(chmod(fixture_folder, 0777), 0);
	ck_assert_int_eq(pipe(ready), 0);
	snprintf(path, sizeof(path), "%s/own", fixture_folder);
	child = fork();
	if (child == 0) {
		if (chdir(fixture_folder) || setgid(65534) || setuid(65534) || start_at("own"))
			_exit(2);
		if (write(ready[1], "y", 1) != 1)
			_exit(3);
		while (!VMTAP_GC_IDLE_ENABLED())
			sched_yield();
		VMTAP_GC_IDLE(1);
		vmtap_stop();
		_exit(0);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	ck_reader(&reader, reader_start(&reader, path, 0));
	ck_reader(&reader, reader_until_end(&reader));
	ck_assert_uint_eq(reader_received(&reader), 1);
	ck_assert_int_eq(exit_status(child), 0);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, the_socket_is_private);
	tcase_add_test(tests, a_path_of_the_authors_choice);
	tcase_add_test(tests, a_runtime_folder_of_a_long_name);
	tcase_add_test(tests, a_stale_socket_is_replaced_a_live_one_never);
	tcase_add_test(tests, several_replace_one_stale_socket);
	tcase_add_loop_test(tests, a_runtime_folder_that_is_not_ours, 0, 7);
	tcase_add_test(tests, a_name_that_somebody_has_taken);
	tcase_add_test(tests, dead_sockets_are_swept);
	tcase_add_test(tests, a_chosen_path_contains_the_pid);
	tcase_add_test(tests, a_forked_worker_with_the_authors_path);
	tcase_add_test(tests, the_lock_of_another_user);
	tcase_add_test(tests, the_runtime_folder_of_another_user);
	tcase_add_test(tests, another_user_is_refused);
	tcase_add_test(tests, root_may_connect);
}
