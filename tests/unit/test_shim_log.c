/*
 * test_shim_log.c: settings from the environment: a log from the first event on, the socket's
 * path. The tests' own reader reads the log: nothing is lost, and a crash or a full disk leaves
 * whole events.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

static char log_path[300];

static void use_log(void)
{
	snprintf(log_path, sizeof(log_path), "%s/log", fixture_folder);
	ck_assert_int_eq(setenv("VMTAP_LOG", log_path, 1), 0);
}

static void fire(unsigned count)
{
	static struct vmtap_name name = VMTAP_NAME("name");

	for (unsigned i = 0; i < count; i++)
		VMTAP_METHOD_ENTRY(&name, &name, &name, 1, i);
}

/* Reads to the end of the file. complete: it must end with the end marker. */
static void read_log(struct reader *reader, bool complete)
{
	ck_assert(reader_open_file(reader, log_path));
	while (!reader->ended && reader_step(reader, 1000))
		;
	ck_assert_msg(!*reader->error, "%s", reader->error);
	ck_assert(reader->header_done);
	ck_assert_int_eq(reader->ended, complete);
}

START_TEST(a_log_has_everything_since_the_start)
{
	struct vmtap_options small = {.size = sizeof(small), .ring_bytes = 1, .queue_bytes = 1};
	struct reader reader;
	struct stat status;

	use_log();
	ck_assert_int_eq(vmtap_start(&small), 0);
	ck_assert_uint_eq(fixture_open_guards(), VMTAP_PROBES);
	fire(300000);
	vmtap_stop();
	ck_assert_uint_eq(fixture_open_guards(), 0);
	read_log(&reader, true);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_METHOD_ENTRY].received, 300000);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader.pid, (uint32_t)getpid());
	ck_assert_int_eq(stat(log_path, &status), 0);
	ck_assert_uint_eq(status.st_mode & 0777, 0600);
	reader_close(&reader);
	/* Only once: a program that is started next, or another start, does not empty the log. */
	ck_assert_int_eq(vmtap_start(&small), 0);
	fire(1);
	vmtap_stop();
	read_log(&reader, true);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_METHOD_ENTRY].received, 300000);
	reader_close(&reader);
}
END_TEST

START_TEST(log_and_clients_at_once)
{
	struct reader reader, log;

	use_log();
	fixture_start();
	fire(10);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	fire(100);
	ck_reader(&reader, reader_finish(&reader));
	ck_assert_uint_eq(reader_received(&reader), 100);
	reader_close(&reader);
	fire(10);
	vmtap_stop();
	read_log(&log, true);
	ck_assert_uint_eq(reader_received(&log), 120);
	reader_close(&log);
}
END_TEST

static void one_class(struct vmtap_census *census, void *context)
{
	vmtap_census_add(census, context, strlen(context), 8);
}

START_TEST(a_log_gets_samples_of_the_heap)
{
	struct vmtap_census_options census = {.size = sizeof(census),
		.by = VMTAP_CENSUS_BY_CLASS,
		.take = one_class,
		.context = "Point"};
	struct reader reader, log;

	use_log();
	ck_assert_int_eq(vmtap_census_register(&census), 0);
	fixture_start();
	ck_reader(
		&reader, reader_open_plain(&reader, fixture_path) && reader_until_header(&reader));
	ck_assert(reader_send(&reader, "GCTL\3", 5));
	ck_reader(&reader, reader_until_samples(&reader, 1));
	reader_close(&reader);
	vmtap_stop();
	read_log(&log, true);
	ck_assert_uint_eq(log.heap.samples, 1);
	reader_close(&log);
}
END_TEST

/* Killed at any moment: what has been written can be read, and at most what was in the ring is
 * missing. */
START_TEST(a_crash_leaves_whole_events)
{
	enum { RING = 64 << 10, RECORD = 32 /* bytes */ };
	const struct vmtap_options options = {.size = sizeof(options), .ring_bytes = RING};
	struct reader reader;
	_Atomic uint64_t *fired = mmap(
		NULL, sizeof(*fired), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t child;
	int status;

	ck_assert_ptr_ne(fired, MAP_FAILED);
	use_log();
	child = fork();
	if (child == 0) {
		if (vmtap_start(&options))
			_exit(1);
		for (;;) {
			fire(1);
			(*fired)++;
		}
	}
	for (bool enough = false; !enough;) {
		sched_yield();
		if (!reader_open_file(&reader, log_path))
			continue;
		while (!(enough = reader_received(&reader) > 20000) && reader_step(&reader, 1000))
			;
		ck_assert_msg(!*reader.error, "%s", reader.error);
		reader_close(&reader);
	}
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	read_log(&reader, false);
	ck_assert_uint_gt(reader_received(&reader), 20000);
	ck_assert_uint_eq(reader_lost(&reader), 0);
	ck_assert_uint_ge(reader_received(&reader) + RING / RECORD, *fired);
	reader_close(&reader);
}
END_TEST

/* A limit of the file's size stands for a full disk: writing fails in the middle of it. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(a_full_disk_stops_nobody)
{
	enum { LIMIT = 200001, EVENTS = 300000 };
	struct vmtap_options small = {.size = sizeof(small), .ring_bytes = 1, .queue_bytes = 1};
	struct reader reader;
	struct stat status;

	use_log();
	limit_files(LIMIT);
	ck_assert_int_eq(vmtap_start(&small), 0);
	fire(EVENTS);
	ck_assert_int_eq(stat(log_path, &status), 0);
	ck_assert_int_le(status.st_size, LIMIT);
	/* There is room again: the losses are reported. */
	limit_files(RLIM_INFINITY);
	vmtap_stop();
	read_log(&reader, true);
	ck_assert_uint_gt(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), EVENTS);
	reader_close(&reader);
}
END_TEST

/* Mounts a tmpfs for the log that only this process sees. False: that is not allowed here. */
static bool use_tmpfs(const char *options)
{
	char folder[256];

	snprintf(folder, sizeof(folder), "%.240s/disk", fixture_folder);
	ck_assert_int_eq(mkdir(folder, 0700), 0);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		mount("none", folder, "tmpfs", 0, options)) {
		printf("skipped, as no tmpfs can be mounted: %s\n", strerror(errno));
		return false;
	}
	snprintf(log_path, sizeof(log_path), "%s/log", folder);
	ck_assert_int_eq(setenv("VMTAP_LOG", log_path, 1), 0);
	return true;
}

static void leave_tmpfs(void)
{
	*strrchr(log_path, '/') = '\0';
	ck_assert_int_eq(umount2(log_path, MNT_DETACH), 0);
}

/* A tmpfs applies the limit of a file's size to what is allocated beyond its end. */
START_TEST(a_disk_that_stays_full)
{
	enum { LIMIT = 200001 };
	/* Slow clients have a day; the VM does not wait for the disk. */
	struct vmtap_options small = {
		.size = sizeof(small), .ring_bytes = 1, .flush_ms = 24 * 60 * 60 * 1000};
	struct reader reader;
	struct stat status;

	use_log();
	if (_i && !use_tmpfs("size=10m"))
		return;
	limit_files(LIMIT);
	ck_assert_int_eq(vmtap_start(&small), 0);
	fire(100000);
	VMTAP_GC_IDLE(0);
	vmtap_stop();
	ck_assert_int_eq(stat(log_path, &status), 0);
	ck_assert_int_le(status.st_size, LIMIT);
	/* There is still room for the end, which says what is missing. */
	read_log(&reader, true);
	ck_assert_uint_gt(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), 100001);
	ck_assert_uint_eq(reader.probes[VMTAP_PROBE_GC_IDLE].lost, 1);
	ck_assert_int_le(status.st_blocks * 512, status.st_size + 65536);
	reader_close(&reader);
	if (_i)
		leave_tmpfs();
}
END_TEST

/* Less space than is usually allocated at once: what fits is written, all but the space for the end
 * and a piece, and the end says what is missing. */
START_TEST(a_disk_that_is_nearly_full)
{
	enum { EVENTS = 100000, UNUSED = (64 + 24) << 10 };
	static const char *const sizes[] = {"size=300k", "size=700k", "size=1100k"};
	const off_t bytes[] = {300 << 10, 700 << 10, 1100 << 10};
	struct vmtap_options small = {
		.size = sizeof(small), .ring_bytes = 1, .flush_ms = 24 * 60 * 60 * 1000};
	struct reader reader;
	struct stat status;

	if (!use_tmpfs(sizes[_i]))
		return;
	ck_assert_int_eq(vmtap_start(&small), 0);
	fire(EVENTS);
	vmtap_stop();
	ck_assert_int_eq(stat(log_path, &status), 0);
	ck_assert_int_ge(status.st_size, bytes[_i] - UNUSED);
	read_log(&reader, true);
	ck_assert_uint_gt(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), EVENTS);
	reader_close(&reader);
	leave_tmpfs();
}
END_TEST

/* Less space than is usually kept for the end alone: the log has its begin and its end, which says
 * what is missing. */
START_TEST(a_disk_with_room_for_little)
{
	enum { EVENTS = 100000 };
	static const char *const sizes[] = {"size=64k", "size=40k", "size=32k", "size=20k"};
	const rlim_t limits[] = {64 << 10, 40 << 10, 32 << 10, 17 << 10};
	const struct vmtap_options small = {
		.size = sizeof(small), .ring_bytes = 1, .flush_ms = 24 * 60 * 60 * 1000};
	struct reader reader;
	bool limited = _i & 1;

	use_log();
	if (!limited && !use_tmpfs(sizes[_i / 2]))
		return;
	if (limited)
		limit_files(limits[_i / 2]);
	ck_assert_int_eq(vmtap_start(&small), 0);
	fire(EVENTS);
	vmtap_stop();
	read_log(&reader, true);
	ck_assert_uint_gt(reader_lost(&reader), 0);
	ck_assert_uint_eq(reader_received(&reader) + reader_lost(&reader), EVENTS);
	reader_close(&reader);
	if (!limited)
		leave_tmpfs();
}
END_TEST

/* Not even the header fits; the signal of the limit never reaches the VM. */
START_TEST(a_disk_full_from_the_start)
{
	struct stat status;
	pid_t child;
	int ended;

	use_log();
	child = fork();
	if (child == 0) {
		const struct rlimit limit = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY};
		if (setrlimit(RLIMIT_FSIZE, &limit) || vmtap_start(NULL))
			_exit(1);
		fire(100000);
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &ended, 0), child);
	ck_assert_int_eq(ended, 0);
	ck_assert_int_eq(stat(log_path, &status), 0);
	ck_assert_int_eq(status.st_size, 0);
}
END_TEST

#if defined(__x86_64__)
/* A program may forbid itself to read the counter before it starts the library. */
START_TEST(a_program_without_the_counter)
{
	struct reader reader;
	pid_t child;
	int status;

#ifdef __SANITIZE_ADDRESS__
	fprintf(stderr, "a_program_without_the_counter: skipped: AddressSanitizer reads it\n");
	return;
#endif
	use_log();
	child = fork();
	if (child == 0) {
		const struct vmtap_options options = {
			.size = sizeof(options), .without_thread = _i};
		if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) || vmtap_start(&options))
			_exit(1);
		fire(1000);
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	read_log(&reader, true);
	ck_assert_uint_eq(reader_received(&reader), 1000);
	reader_close(&reader);
}
END_TEST
#endif

START_TEST(a_log_that_cannot_be_made)
{
	char target[300];

	snprintf(log_path, sizeof(log_path), "%s/missing/log", fixture_folder);
	setenv("VMTAP_LOG", log_path, 1);
	ck_assert_int_eq(vmtap_start(NULL), -ENOENT);
	ck_assert_int_ne(access(fixture_path, F_OK), 0);
	ck_assert_uint_eq(fixture_open_guards(), 0);
	use_log();
	snprintf(target, sizeof(target), "%s/target", fixture_folder);
	ck_assert_int_eq(symlink(target, log_path), 0);
	ck_assert_int_eq(vmtap_start(NULL), -ELOOP);
	ck_assert_int_ne(access(target, F_OK), 0);
	/* An empty variable means no log. */
	setenv("VMTAP_LOG", "", 1);
	fixture_start();
	ck_assert_uint_eq(fixture_open_guards(), 0);
}
END_TEST

START_TEST(a_forked_child_leaves_the_log_alone)
{
	struct reader reader, client;
	int status;

	use_log();
	fixture_start();
	/* An answer shows that the server's thread is running: a sanitizer's locks for starting
	 * threads do not survive fork(). */
	ck_reader(&client, reader_start(&client, fixture_path, 0));
	fire(5);
	pid_t child = fork();
	if (child == 0) {
		fire(1000);
		if (vmtap_start(NULL))
			_exit(1);
		fire(1000);
		vmtap_stop();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	fire(5);
	vmtap_stop();
	read_log(&reader, true);
	ck_assert_uint_eq(reader_received(&reader), 10);
	reader_close(&reader);
	reader_close(&client);
}
END_TEST

/* ---- the socket ---- */

START_TEST(the_users_path_goes_before_the_authors)
{
	struct vmtap_options options = {.size = sizeof(options)};
	char users[300], authors[300];
	struct reader reader;

	snprintf(users, sizeof(users), "%s/users", fixture_folder);
	snprintf(authors, sizeof(authors), "%s/authors", fixture_folder);
	options.socket = authors;
	setenv("VMTAP_SOCKET", users, 1);
	ck_assert_int_eq(vmtap_start(&options), 0);
	ck_reader(&reader, reader_start(&reader, users, 0));
	reader_close(&reader);
	ck_assert_int_ne(access(authors, F_OK), 0);
	ck_assert_int_ne(access(fixture_path, F_OK), 0);
	/* A process that inherits the variable finds the path in use, and uses its default one. */
	pid_t child = fork();
	if (child == 0) {
		fixture_set_path();
		_exit(vmtap_start(NULL) || access(fixture_path, F_OK));
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_reader(&reader, reader_start(&reader, users, 0));
	reader_close(&reader);
	vmtap_stop();
	ck_assert_int_ne(access(users, F_OK), 0);
	memset(users, 'x', 108);
	users[0] = '/';
	users[108] = '\0';
	setenv("VMTAP_SOCKET", users, 1);
	ck_assert_int_eq(vmtap_start(NULL), -ENAMETOOLONG);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_add_test(tests, a_log_has_everything_since_the_start);
	tcase_add_test(tests, log_and_clients_at_once);
	tcase_add_test(tests, a_log_gets_samples_of_the_heap);
	tcase_add_test(tests, a_crash_leaves_whole_events);
	tcase_add_test(tests, a_full_disk_stops_nobody);
	tcase_add_loop_test(tests, a_disk_that_stays_full, 0, 2);
	tcase_add_loop_test(tests, a_disk_that_is_nearly_full, 0, 3);
	tcase_add_loop_test(tests, a_disk_with_room_for_little, 0, 8);
	tcase_add_test(tests, a_disk_full_from_the_start);
#if defined(__x86_64__)
	tcase_add_loop_test(tests, a_program_without_the_counter, 0, 2);
#endif
	tcase_add_test(tests, a_log_that_cannot_be_made);
	tcase_add_test(tests, a_forked_child_leaves_the_log_alone);
	tcase_add_test(tests, the_users_path_goes_before_the_authors);
}
