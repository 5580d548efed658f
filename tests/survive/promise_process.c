/*
 * promise_process.c: what the library has in the process and in the file system: descriptors,
 * threads, memory, sockets and who may use them, and what of this a forked child has.
 */
#include "promise.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/wire.h"

enum {
	DESCRIPTORS_MAX = 256,
	ROUNDS = 20,
	CLIENTS = 3,
	EVENTS = 500,
	WITH_THREAD = 2, /* descriptors that vmtap.h says the library keeps */
	WITHOUT_THREAD = 5,
	NOBODY = 65534,
	STRANGER = 65533
};

static struct vmtap_options options = {.size = sizeof(options)};

/* ---- descriptors ---- */

struct descriptors {
	unsigned count;
	bool open[DESCRIPTORS_MAX];
};

static struct descriptors descriptors_now(void)
{
	struct descriptors now = {0};

	for (int i = 0; i < DESCRIPTORS_MAX; i++) {
		now.open[i] = fcntl(i, F_GETFD) >= 0;
		now.count += now.open[i];
	}
	return now;
}

static void check_new(const struct descriptors *before, const char *when, unsigned most)
{
	struct descriptors now = descriptors_now();

	for (int i = 0; i < DESCRIPTORS_MAX; i++) {
		char link[40], target[200] = "";
		if (!now.open[i] || before->open[i])
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", i);
		if (readlink(link, target, sizeof(target) - 1) < 0)
			strcpy(target, "?");
		promise_expect(fcntl(i, F_GETFD) & FD_CLOEXEC,
			"%s: descriptor %d (%s) is not close-on-exec", when, i, target);
		promise_expect(i > STDERR_FILENO, "%s: the library has descriptor %d (%s)", when, i,
			target);
		struct stat status;
		if (!fstat(i, &status) && S_ISSOCK(status.st_mode))
			promise_expect(
				fcntl(i, F_GETFL) & O_NONBLOCK, "%s: socket %d may block", when, i);
	}
	promise_expect(now.count <= before->count + most, "%s: %u descriptors more, not %u", when,
		now.count - before->count, most);
}

static void check_same(const struct descriptors *before, const char *when)
{
	struct descriptors now = descriptors_now();

	for (int i = 0; i < DESCRIPTORS_MAX; i++)
		promise_expect(now.open[i] == before->open[i], "%s: descriptor %d is %s", when, i,
			now.open[i] ? "left" : "closed");
}

/* The number of the library's thread; 0: it has not given itself its name so far. */
static unsigned find_thread(void)
{
	struct dirent *entry;
	char path[300], name[32];
	DIR *tasks = opendir("/proc/self/task");
	unsigned found = 0;

	while (tasks && !found && (entry = readdir(tasks))) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", entry->d_name);
		FILE *file = fopen(path, "re");
		if (file && fgets(name, sizeof(name), file) && !strcmp(name, "vmtap\n"))
			found = (unsigned)atoi(entry->d_name);
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return found;
}

static void check_thread(void)
{
	/* KILL, STOP, and the two that the C library keeps, cannot be blocked. */
	const unsigned long long never = 1ull << 8 | 1ull << 18 | 3ull << 31;
	char task[16];
	unsigned thread;

	while (!(thread = find_thread()))
		sched_yield();
	snprintf(task, sizeof(task), "%u", thread);
	unsigned long long blocked = (unsigned long long)promise_status(task, "SigBlk", 16);
	promise_expect((blocked | never) == ~0ull,
		"the library's thread does not block all signals: %llx", blocked);
	promise_expect(
		promise_status("self", "Threads", 10) == 2, "the library has more than one thread");
}

static void fire(unsigned count)
{
	static struct vmtap_name name = VMTAP_NAME("a name");

	for (unsigned i = 0; i < count; i++) {
		VMTAP_GC_IDLE(0);
		VMTAP_PAUSE_BEGIN(0, &name);
	}
}

/* One life of the stream: with clients, which come and go. */
static void serve(bool turns, bool logs)
{
	struct descriptors before = descriptors_now();
	unsigned kept = (turns ? WITHOUT_THREAD : WITH_THREAD) + logs;
	char log[128];

	snprintf(log, sizeof(log), "%s/log", promise_folder);
	if (logs)
		setenv("VMTAP_LOG", log, 1);
	options.without_thread = turns;
	promise_expect(vmtap_start(&options) == 0, "vmtap_start() fails");
	check_new(&before, turns ? "started without a thread" : "started", kept);
	if (!turns) {
		struct promise_partner clients[CLIENTS];
		static const struct promise_client plain = {.flags = 0};
		check_thread();
		struct descriptors with_lines = before;
		for (unsigned i = 0; i < CLIENTS; i++) {
			clients[i] = promise_connect(&plain);
			with_lines.open[clients[i].line] = true;
			with_lines.count++;
		}
		check_new(&with_lines, "with clients", kept + CLIENTS);
		fire(EVENTS);
		vmtap_stop();
		for (unsigned i = 0; i < CLIENTS; i++)
			promise_end(&clients[i]);
	}
	vmtap_stop();
	unsetenv("VMTAP_LOG");
	check_same(&before, turns ? "stopped, without a thread" : "stopped");
	promise_path(getpid(), log);
	promise_expect(access(log, F_OK) && errno == ENOENT, "the socket is left");
}

void promise_descriptors(void)
{
	long long threads = promise_status("self", "Threads", 10), memory = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		serve(i % 2, i % 4 / 2);
		/* what is kept for the next time is there after the first of each kind */
		if (i == ROUNDS / 2 - 1)
			memory = promise_status("self", "VmSize", 10);
	}
	promise_expect(promise_status("self", "Threads", 10) == threads, "threads are left");
	promise_expect(promise_status("self", "VmSize", 10) - memory < 1024,
		"%u more lives of the stream take %lld KB more", ROUNDS / 2,
		promise_status("self", "VmSize", 10) - memory);
	/* A daemon has closed the first three: their numbers are not the library's all the same. */
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 100);
	close(STDIN_FILENO);
	close(STDERR_FILENO);
	serve(false, true);
	serve(true, true);
	close(out);
}

/* ---- calls that are refused ---- */

static void expect_refused(const char *what, int expected)
{
	struct descriptors before = descriptors_now();
	long long threads = promise_status("self", "Threads", 10);

	for (unsigned i = 0; i < 3; i++) {
		int error = vmtap_start(&options);
		promise_expect(error == expected, "%s: vmtap_start() returns %d", what, error);
		check_same(&before, what);
	}
	promise_expect(
		promise_status("self", "Threads", 10) == threads, "%s: a thread is left", what);
}

void promise_refused(void)
{
	char path[200], log[200], text[300];

	snprintf(path, sizeof(path), "%s/file", promise_folder);
	close(open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600));
	options.socket = path;
	expect_refused("a file is at the path", -EEXIST);
	snprintf(log, sizeof(log), "%s/link", promise_folder);
	if (symlink(path, log))
		promise_abort("no link");
	options.socket = log;
	expect_refused("a link is at the path", -ELOOP);
	memset(text, 'a', sizeof(text));
	text[0] = '/';
	text[200] = '\0';
	options.socket = text;
	expect_refused("a long path", -ENAMETOOLONG);
	options.socket = NULL;
	setenv("VMTAP_LOG", "/nowhere/log", 1);
	expect_refused("no folder for the log", -ENOENT);
	setenv("VMTAP_LOG", log, 1);
	expect_refused("the log is a link", -ELOOP);
	unsetenv("VMTAP_LOG");
	struct descriptors before = descriptors_now();
	promise_expect(vmtap_start(&options) == 0, "vmtap_start() fails after all this");
	promise_expect(vmtap_start(&options) == -EALREADY, "vmtap_start() succeeds twice");
	vmtap_stop();
	check_same(&before, "stopped");
}

/* ---- who may use it ---- */

static void check_mode(const char *path, mode_t expected)
{
	struct stat status = {0};

	if (lstat(path, &status))
		promise_abort("%s: %s", path, strerror(errno));
	promise_expect((status.st_mode & 07777) == expected, "%s has mode %03o", path,
		status.st_mode & 07777);
	promise_expect(status.st_uid == geteuid(), "%s belongs to another user", path);
}

static bool has_secret;

static void look_for_environment(struct reader *reader)
{
	promise_expect(has_secret == (reader->environment > 0),
		has_secret ? "the environment is not sent" : "the environment is sent, unasked");
}

void promise_access(void)
{
	static const struct promise_client client = {.flags = 0, .at_end = look_for_environment};
	char path[128], log[128], folder[128];

	umask(0);
	snprintf(folder, sizeof(folder), "%s/vmtap", promise_folder);
	snprintf(log, sizeof(log), "%s/log", promise_folder);
	setenv("VMTAP_LOG", log, 1);
	promise_path(getpid(), path);
	for (int secret = 0; secret < 2; secret++) {
		options.send_environment = secret;
		has_secret = secret;
		vmtap_start(&options);
		check_mode(folder, 0700);
		check_mode(path, 0600);
		if (!secret) /* the variable is used once */
			check_mode(log, 0600);
		struct promise_partner reader = promise_connect(&client);
		fire(1);
		vmtap_stop();
		promise_end(&reader);
	}
	/* A chosen path, in a folder that others may enter */
	snprintf(path, sizeof(path), "%s/chosen", promise_folder);
	options.socket = path;
	vmtap_start(&options);
	check_mode(path, 0600);
	vmtap_stop();
	options.socket = NULL;
	/* A directory that others may enter is not used. */
	promise_path(getpid(), path);
	for (int i = 0; i < 2; i++) {
		if (i ? rmdir(folder) || symlink(promise_folder, folder) : chmod(folder, 0755))
			promise_abort("%s: %s", folder, strerror(errno));
		vmtap_start(&options);
		promise_expect(access(path, F_OK), "the socket is in %s",
			i ? "a directory that is a link" : "a directory that others may enter");
		vmtap_stop();
	}
}

/* The bytes that a process of this user receives; -1: it cannot connect. */
static ssize_t received_by(uid_t user, const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int pair[2];
	ssize_t got = -2;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (pipe2(pair, O_CLOEXEC))
		promise_abort("no pipe");
	pid_t child = fork();
	if (!child) {
		char bytes[4096];
		int to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (setgid(user) || setuid(user))
			_exit(1);
		got = connect(to, (struct sockaddr *)&address, sizeof(address))
			? -1
			: recv(to, bytes, sizeof(bytes), 0);
		if (got < 0 && errno == ECONNRESET)
			got = 0;
		_exit(write(pair[1], &got, sizeof(got)) != sizeof(got));
	}
	close(pair[1]);
	if (read(pair[0], &got, sizeof(got)) != sizeof(got))
		promise_abort("no client");
	close(pair[0]);
	waitpid(child, NULL, 0);
	return got;
}

/* Even if the program lets everybody connect, only its own user and root are served. */
void promise_strangers(void)
{
	char path[100];
	int pair[2], status = 0;
	pid_t vm;

	if (geteuid() != 0) {
		promise_expect(true, "root alone can be several users");
		return;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) || chmod(promise_folder, 0777))
		promise_abort("cannot be prepared");
	snprintf(path, sizeof(path), "%s/open", promise_folder);
	vm = fork();
	if (!vm) {
		close(pair[0]);
		if (setgid(NOBODY) || setuid(NOBODY))
			_exit(1);
		options.socket = path;
		if (vmtap_start(&options) || chmod(path, 0666))
			_exit(2);
		promise_say(pair[1], 'r');
		promise_hear(pair[1]);
		vmtap_stop();
		_exit(0);
	}
	close(pair[1]);
	if (promise_hear(pair[0]) == 'r') {
		promise_expect(
			received_by(NOBODY, path) > 0, "the program's own user is not served");
		promise_expect(received_by(STRANGER, path) == 0, "another user is served");
		promise_expect(received_by(0, path) > 0, "root is not served");
	}
	close(pair[0]);
	waitpid(vm, &status, 0);
	promise_expect(status == 0, "the program ends with status %#x", status);
}

/* ---- a child of fork() ---- */

static unsigned stream_half(enum vmtap_probe probe)
{
	return *(const volatile uint32_t *)vmtap_guard(probe) >> 16;
}

static unsigned kernel_half(enum vmtap_probe probe)
{
	return *(const volatile uint32_t *)vmtap_guard(probe) & 0xffff;
}

/* As a kernel tracer counts itself. */
static void raise_kernel_half(enum vmtap_probe probe, int by)
{
	volatile uint16_t *half = (volatile uint16_t *)(uintptr_t)vmtap_guard(probe);

	*half = (uint16_t)(*half + by);
}

static _Atomic uint64_t received_idle, received_others;

static void count_idle(struct reader *reader, const struct reader_event *event)
{
	if (!strcmp(reader->probes[event->probe].name, "gc-idle"))
		received_idle++;
	else
		received_others++;
}

static void expect_events(struct reader *reader)
{
	(void)reader;
	promise_expect(received_idle == EVENTS, "of %d events %lu arrive", EVENTS,
		(unsigned long)received_idle);
	promise_expect(received_others == 0, "%lu events of a child arrive",
		(unsigned long)received_others);
}

static const struct promise_client counts = {
	.flags = WIRE_LOSSLESS, .on_event = count_idle, .at_end = expect_events, .samples = true};

static void take_nothing(struct vmtap_stack *stack, void *context)
{
	(void)stack, (void)context;
}

/* In the parent, the census lasts until the child is made. */
static sem_t census_begun, census_may_end;
static bool in_child;

static void take_census(struct vmtap_census *census, void *context)
{
	(void)census, (void)context;
	if (in_child)
		return;
	sem_post(&census_begun);
	while (sem_wait(&census_may_end))
		;
}

static void *take_in_thread(void *unused)
{
	vmtap_census_now();
	return unused;
}

/* In a child that serves nobody. before: as it was when its parent served nobody. */
static void check_child(const struct descriptors *before, const char *made)
{
	char path[128];
	struct stat status;

	in_child = true;
	/* The first event or call of a child that was made without fork() is where it notices. */
	VMTAP_GC_WORK(0);
	vmtap_turn();
	for (unsigned i = 0; vmtap_guard(i); i++)
		promise_expect(
			!stream_half(i), "%s: in a child the guard of probe %u is open", made, i);
	promise_expect(kernel_half(VMTAP_PROBE_GC_WORK) == 3,
		"%s: in a child the kernel counts %u tracers, not 3", made,
		kernel_half(VMTAP_PROBE_GC_WORK));
	check_same(before, made);
	promise_expect(
		promise_status("self", "Threads", 10) == 1, "%s: a child has a thread", made);
	promise_expect(vmtap_descriptor() == -EBADF, "%s: a child has a descriptor", made);
	promise_expect(!vmtap_census_wanted() && !vmtap_sample_wanted() && !vmtap_dump_wanted() &&
			vmtap_sample_unit() == VMTAP_SAMPLE_OWN,
		"%s: a sample is wanted in a child", made);
	promise_expect(vmtap_census_now() == 1,
		"%s: a child waits for a census of a thread that it does not have", made);
	for (unsigned i = 0; i < EVENTS; i++)
		VMTAP_PAUSE_BEGIN(0, NULL); /* the parent fires another one */
	promise_path(getppid(), path);
	vmtap_stop();
	promise_expect(!lstat(path, &status), "%s: a child removes its parent's socket", made);
	promise_path(getpid(), path);
	promise_expect(vmtap_start(NULL) == 0, "%s: vmtap_start() fails in a child", made);
	promise_expect(!lstat(path, &status), "%s: a child has no socket of its own", made);
	promise_expect(!stream_half(VMTAP_PROBE_GC_IDLE), "%s: a new stream has a client", made);
}

static void check_own_thread(struct reader *reader, const struct reader_event *event)
{
	(void)reader;
	promise_expect(event->thread == (uint64_t)getpid(),
		"a child's event is thread %lu's, not %d's", (unsigned long)event->thread,
		(int)getpid());
}

/* Serves its own stream, to itself. */
static void serve_itself(const char *made)
{
	struct reader reader;
	char path[128];

	promise_path(getpid(), path);
	if (!reader_start(&reader, path, WIRE_LOSSLESS)) {
		promise_expect(false, "%s: a child's stream cannot be read", made);
		return;
	}
	reader.on_event = check_own_thread;
	promise_expect(reader.pid == (uint32_t)getpid(), "%s: the stream is process %u's", made,
		reader.pid);
	promise_expect(reader.parent == (uint32_t)getppid(),
		"%s: the stream's process has the parent %u, not %d", made, reader.parent,
		(int)getppid());
	for (unsigned i = 0; i < EVENTS; i++)
		VMTAP_GC_WORK(0);
	reader_finish(&reader);
	promise_expect(reader_received(&reader) == EVENTS && !*reader.error,
		"%s: a child fires %d events, and %lu arrive %s", made, EVENTS,
		(unsigned long)reader_received(&reader), reader.error);
	reader_close(&reader);
}

enum made { BY_FORK, BY_OTHER_FORK, BY_CLONE, WAYS };

static pid_t make_child(enum made made)
{
	switch (made) {
	case BY_FORK:
		return fork();
	case BY_OTHER_FORK:
		return _Fork();
	default:
		return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	}
}

static void *fire_in_thread(void *unused)
{
	fire(1); /* so that there is a ring of another thread */
	return unused;
}

void promise_fork(void)
{
	static const char *const made[WAYS] = {"fork()", "_Fork()", "clone()"};
	static const struct vmtap_census_options census = {.size = sizeof(census),
		.by = VMTAP_CENSUS_BY_CLASS,
		.take = take_census,
		.polls = 1};
	pthread_t thread;

	sem_init(&census_begun, 0, 0);
	sem_init(&census_may_end, 0, 0);
	vmtap_stack_register(take_nothing, NULL);
	vmtap_census_register(&census);
	raise_kernel_half(VMTAP_PROBE_GC_WORK, 3);
	for (enum made i = 0; i < WAYS; i++) {
		struct promise_partner client =
			promise_begin(promise_run_client, (void *)(uintptr_t)&counts);
		struct descriptors before = descriptors_now();
		char path[128];
		struct stat status;
		int ended = 0, pair[2], line[2];
		promise_expect(vmtap_start(NULL) == 0, "vmtap_start() fails");
		promise_say(client.line, 'c');
		promise_hear(client.line);
		for (unsigned j = 0; j < EVENTS / 2; j++)
			VMTAP_GC_IDLE(0);
		if (pipe2(pair, O_CLOEXEC) ||
			socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, line))
			promise_abort("no pipe");
		before.open[pair[0]] = before.open[pair[1]] = true;
		before.open[line[0]] = before.open[line[1]] = true;
		pthread_t other;
		if (pthread_create(&other, NULL, take_in_thread, NULL))
			promise_abort("no thread");
		while (sem_wait(&census_begun))
			;
		while (vmtap_sample_unit() != VMTAP_SAMPLE_TIME || !vmtap_dump_wanted())
			sched_yield();
		pid_t child = make_child(i);
		if (!child) {
			char byte;
			check_child(&before, made[i]);
			promise_say(line[1], 'c');
			serve_itself(made[i]);
			vmtap_stop();
			check_same(&before, "a child that has served");
			/* it lives longer than its parent's stream */
			close(pair[1]);
			while (read(pair[0], &byte, 1) < 0 && errno == EINTR)
				;
			exit(0); /* with the library's destructor */
		}
		sem_post(&census_may_end);
		pthread_join(other, NULL);
		close(pair[0]);
		close(line[1]);
		promise_hear(line[0]); /* it has checked everything */
		close(line[0]);
		promise_path(getpid(), path);
		for (unsigned j = EVENTS / 2; j < EVENTS; j++)
			VMTAP_GC_IDLE(0);
		promise_expect(
			stream_half(VMTAP_PROBE_GC_IDLE), "%s closes the parent's guards", made[i]);
		promise_expect(!lstat(path, &status), "%s: the parent has no socket", made[i]);
		promise_expect(kernel_half(VMTAP_PROBE_GC_WORK) == 3,
			"%s changes what the kernel counts", made[i]);
		vmtap_stop();
		promise_end(&client); /* it has the end marker and then the end of the connection */
		close(pair[1]);
		waitpid(child, &ended, 0);
		promise_expect(ended == 0, "%s: a child ends with status %#x", made[i], ended);
		if (pthread_create(&thread, NULL, fire_in_thread, NULL))
			promise_abort("no thread");
		pthread_join(thread, NULL);
	}
}

/* ---- children that serve ---- */

static void serve_as_child(unsigned generations)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		char path[128];
		struct stat found;
		promise_path(getpid(), path);
		promise_expect(!lstat(path, &found), "a child has no socket when fork() returns");
		check_thread();
		promise_expect(promise_status("self", "Threads", 10) == 2,
			"a child that serves has %lld threads",
			promise_status("self", "Threads", 10));
		serve_itself("serve_children");
		if (generations > 1)
			serve_as_child(generations - 1);
		exit(0);
	}
	waitpid(child, &status, 0);
	promise_expect(status == 0, "a child that serves ends with status %#x", status);
}

void promise_children(void)
{
	const struct vmtap_options serving = {
		.size = sizeof(serving), .ring_bytes = 1, .serve_children = 1};

	for (unsigned i = 0; i < 2; i++) {
		struct promise_partner client =
			promise_begin(promise_run_client, (void *)(uintptr_t)&counts);
		struct descriptors before = descriptors_now();
		vmtap_start(&serving);
		promise_say(client.line, 'c');
		promise_hear(client.line);
		serve_as_child(2);
		for (unsigned j = 0; j < EVENTS; j++)
			VMTAP_GC_IDLE(0);
		vmtap_stop();
		promise_end(&client);
		before.open[client.line] = false;
		check_same(&before, "serve_children");
	}
}
