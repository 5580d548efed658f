/*
 * vm_lock.c: a VM with a lock of its own, which its handlers of fork() take, as the lock of an
 * interpreter is; it uses the library while it holds that lock, and other threads fork meanwhile.
 * Nothing may wait for ever, and each event arrives or is counted as lost.
 *
 *     vm_lock OPERATION CLIENT TURNS COUNT FORKS FOLDER [EXTENSION.so]
 *
 * OPERATION is what the VM does COUNT times, holding its lock:
 *     fire       fires 3000 events; in each handler of fork(), it fires one
 *     import     loads and unloads the extension
 *     now        takes a census
 *     take       takes a census that clients have asked for, at a safepoint
 *     turn       takes a turn of the server's, if TURNS is 1, and fires 100 events
 *     callback   fires 10000 events, while the server takes a census that takes that lock, too
 *     fork       forks
 *     stop       stops the stream and starts it again
 *     signals    loads and unloads the extension, takes a census, stops and starts; each time that
 *                one of its threads takes a mutex of the library's, a signal comes, whose handler
 *                fires more events than a ring holds
 *     refused    the same, and signals cannot be blocked, as in some sandboxes
 *     sockets    nothing; clients connect and hang up as fast as they can, and each child checks
 *                that it has no socket
 *     restarts   the same, and stops the stream and starts it again
 * CLIENT is none, lossless or log. With TURNS 1, the library has no thread, and one of this
 * program's takes its turns. The VM has forked FORKS times at least when it ends. It prints one
 * line with what it has done, and exits with 0 if all promises were kept.
 */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shim/reader.h"
#include "vmtap.h"
#include "wire/wire.h"

enum {
	EVENTS_AT_ONCE = 3000,
	EVENTS_OF_TURN = 100,
	EVENTS_BESIDE_CALLBACK = 10000,
	EVENTS_OF_HANDLER = 5000, /* more than a ring of the least size has room for */
	HANGS_S = 300,
	DESCRIPTORS_CHECKED = 256,
	MS = 1000000,
	LOSSLESS_MS = 500, /* for callback: so long, and two seconds more, the VM waits */
	TRIES = 10000,
	YIELDS = 200,
	CLIENT_THREADS = 2
};

/* Of the client and of the children; shared with them. */
struct told {
	_Atomic uint64_t idle, work, lost, connections, bad_children;
	_Atomic bool ready, ended, over;
	char error[300];
};

static struct told *told;
static const char *operation, *extension;
static char path[200], log_path[200];
static bool turns, is_log, is_lossless, in_handlers;
static uint64_t count, forks_wanted;
static _Atomic uint64_t done, forks, fired;
static _Atomic bool is_over;

static bool is(const char *name)
{
	return strcmp(operation, name) == 0;
}

/* ---- the VM's lock ---- */

static pthread_mutex_t vm_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread unsigned vm_depth;

static void vm_enter(void)
{
	if (!vm_depth++)
		pthread_mutex_lock(&vm_lock);
}

static void vm_leave(void)
{
	if (!--vm_depth)
		pthread_mutex_unlock(&vm_lock);
}

static void fire(unsigned events)
{
	for (unsigned i = 0; i < events; i++)
		VMTAP_GC_IDLE(1);
	atomic_fetch_add(&fired, events);
}

static _Atomic unsigned forking; /* threads that are in fork() and wait for the lock */

static void before_fork(void)
{
	atomic_fetch_add(&forking, 1);
	vm_enter();
	atomic_fetch_sub(&forking, 1);
	if (in_handlers)
		fire(1);
}

static void after_fork(void)
{
	if (in_handlers)
		fire(1);
	vm_leave();
}

static void in_child(void)
{
	VMTAP_GC_WORK(1); /* nobody may receive it */
	vm_leave();
}

/* Before the library's own handlers: in a child, this one runs first. */
__attribute__((constructor(101))) static void register_handlers(void)
{
	pthread_atfork(before_fork, after_fork, in_child);
}

/* ---- a signal at each lock of the library's ---- */

static __thread bool wants_signals;
static _Atomic bool refuses_masks;
static _Atomic uint64_t signals;

/* Replace the C library's functions, for the library and for this program. */
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	static int (*_Atomic real)(pthread_mutex_t *);
	int result;

	if (!atomic_load(&real))
		atomic_store(
			&real, (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock"));
	result = atomic_load(&real)(mutex);
	if (wants_signals && mutex != &vm_lock) {
		wants_signals = false;
		raise(SIGUSR1);
		wants_signals = true;
	}
	return result;
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	if (atomic_load(&refuses_masks) && set)
		return EPERM;
	return sigprocmask(how, set, before) ? errno : 0;
}

static void on_signal(int number)
{
	bool wanted = wants_signals;

	(void)number;
	wants_signals = false;
	atomic_fetch_add(&signals, 1);
	fire(EVENTS_OF_HANDLER);
	wants_signals = wanted;
}

/* ---- what the VM does ---- */

static _Atomic bool in_census;

static void take_census(struct vmtap_census *census, void *context)
{
	vmtap_census_add(census, context, strlen(context), 8);
	if (is("callback")) {
		atomic_store(&in_census, true);
		vm_enter();
		vm_leave();
		atomic_store(&in_census, false);
	}
}

static void start(void)
{
	struct vmtap_options options = {.size = sizeof(options),
		.socket = path,
		.without_thread = turns,
		.ring_bytes = 1,
		.lossless_ms = is("callback") ? LOSSLESS_MS : 0};

	if (is_log)
		setenv("VMTAP_LOG", log_path, 1);
	int error = vmtap_start(&options);
	if (error) {
		printf("vmtap_start: %s\n", strerror(-error));
		exit(1);
	}
}

static void import(void)
{
	void *object = dlopen(extension, RTLD_NOW | RTLD_LOCAL);

	if (!object) {
		printf("%s\n", dlerror());
		exit(1);
	}
	dlclose(object);
}

static bool is_socket(int descriptor)
{
	struct sockaddr_un name = {0};
	socklen_t length = sizeof(name);
	struct stat status;

	if (fstat(descriptor, &status) || !S_ISSOCK(status.st_mode))
		return false;
	getsockname(descriptor, (struct sockaddr *)&name, &length);
	snprintf(told->error, sizeof(told->error), "a child has socket %d, inode %lu, named '%s'",
		descriptor, (unsigned long)status.st_ino, name.sun_path);
	return true;
}

/* Children of the VM's: they use the library in the same ways. */
static int run_child(void)
{
	int sockets = 0;

	alarm(HANGS_S);
	VMTAP_GC_WORK(1);
	if (is("sockets") || is("restarts"))
		for (int i = 3; i < DESCRIPTORS_CHECKED; i++)
			sockets += is_socket(i);
	else
		vmtap_census_now();
	return sockets ? 1 : 0;
}

static void fork_once(void)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(run_child());
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		atomic_fetch_add(&told->bad_children, 1);
	atomic_fetch_add(&forks, 1);
}

/* What the stream has had of both probes; it may lack those that were never wanted. */
static void count_stream(const struct reader *reader)
{
	int idle = reader_probe(reader, "gc-idle"), work = reader_probe(reader, "gc-work");

	if (idle >= 0) {
		told->idle += reader->probes[idle].received;
		told->lost += reader->probes[idle].lost;
	}
	if (work >= 0)
		told->work += reader->probes[work].received;
}

/* The log's content is counted before the next start empties it. */
static void count_log(void)
{
	struct reader reader;

	if (!is_log || !reader_open_file(&reader, log_path))
		return;
	reader_until_end(&reader);
	if (*reader.error || !reader.ended)
		snprintf(told->error, sizeof(told->error), "the log: %s", reader.error);
	count_stream(&reader);
	told->ended = true;
	reader_close(&reader);
}

static void restart(void)
{
	vmtap_stop();
	count_log();
	start();
}

static void operate(void)
{
	/* the client asks for samples every millisecond */
	for (unsigned i = 0; is("take") && is_lossless && !vmtap_census_wanted() && i < TRIES; i++)
		sched_yield();
	vm_enter();
	/* Another thread forks at that moment, if it still does. */
	for (unsigned i = 0; !forking && forks < forks_wanted && i < YIELDS; i++)
		sched_yield();
	for (unsigned i = 0; is("callback") && is_lossless && !in_census && i < TRIES; i++)
		nanosleep(&(struct timespec){.tv_nsec = MS}, NULL);
	if (is("fire"))
		fire(EVENTS_AT_ONCE);
	else if (is("turn"))
		fire(EVENTS_OF_TURN);
	else if (is("callback"))
		fire(EVENTS_BESIDE_CALLBACK);
	else if (is("import") || is("signals") || is("refused"))
		import();
	if (is("now") || is("signals") || is("refused"))
		vmtap_census_now();
	if (is("take"))
		vmtap_census_take();
	if (is("turn"))
		vmtap_turn();
	if (is("fork"))
		fork_once();
	if (!is("fire") && !is("sockets") && !is("restarts"))
		fire(1);
	if (is("stop") || is("restarts"))
		restart();
	vm_leave();
	if (is("restarts") || is("sockets"))
		nanosleep(&(struct timespec){.tv_nsec = 2 * MS}, NULL);
}

static void *operate_often(void *argument)
{
	wants_signals = is("signals") || is("refused");
	while (atomic_load(&done) < count || atomic_load(&forks) < forks_wanted) {
		operate();
		atomic_fetch_add(&done, 1);
		/* The forks keep pace, though the lock may not be fair. */
		while (atomic_load(&forks) * count < atomic_load(&done) * forks_wanted &&
			atomic_load(&forks) < forks_wanted)
			sched_yield();
	}
	wants_signals = false;
	return argument;
}

static void *fork_often(void *argument)
{
	while (!atomic_load(&is_over))
		if (atomic_load(&forks) < forks_wanted)
			fork_once();
		else
			sched_yield();
	return argument;
}

static void *take_turns(void *argument)
{
	while (!atomic_load(&is_over)) {
		struct pollfd polled = {.fd = vmtap_descriptor(), .events = POLLIN};
		if (polled.fd < 0)
			sched_yield();
		else if (poll(&polled, 1, 1) > 0)
			vmtap_turn();
	}
	return argument;
}

/* ---- clients ---- */

/* It is not the VM's child: nobody waits for it if the VM dies. */
static pid_t run_client(void (*client)(void))
{
	pid_t process = fork();

	if (process == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		client();
		_exit(0);
	}
	return process;
}

/* A client that has samples of the heap taken and reads none of them. */
static void ask_for_samples(struct reader *reader)
{
	static const char frames[] = "VMTP\0\0\0\0\0\7\0\1\0\242GCTL\1";

	while (!reader_open_plain(reader, path))
		sched_yield();
	reader_send(reader, frames, sizeof(frames) - 1);
}

static void read_all(void)
{
	struct reader reader;
	static struct reader samples;

	if (is("take") || is("callback"))
		ask_for_samples(&samples);
	while (!reader_open(&reader, path))
		sched_yield();
	if (reader_until_header(&reader)) {
		reader_subscribe_all(&reader, WIRE_LOSSLESS, 1);
		told->ready = reader_until_acknowledged(&reader, 1);
		reader_until_end(&reader);
	}
	snprintf(told->error, sizeof(told->error), "%s", reader.error);
	count_stream(&reader);
	told->ended = reader.ended;
	reader_close(&reader);
}

static void read_each(void)
{
	while (!told->over)
		read_all();
}

static void *connect_often(void *argument)
{
	struct reader reader;

	while (!told->over)
		if (reader_open_plain(&reader, path)) {
			told->connections++;
			reader_close(&reader);
		} else {
			sched_yield();
		}
	return argument;
}

static void storm(void)
{
	pthread_t threads[CLIENT_THREADS];

	for (unsigned i = 0; i < CLIENT_THREADS; i++)
		pthread_create(&threads[i], NULL, connect_often, NULL);
	for (unsigned i = 0; i < CLIENT_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ---- main ---- */

static bool is_kept(void)
{
	/* With operation stop, clients lack what is fired before they have come. */
	bool is_whole = is_log || (is_lossless && !is("stop"));

	if (told->bad_children || told->work)
		return false;
	return !is_whole || (told->ended && !*told->error && told->idle + told->lost == fired);
}

static pid_t begin(void)
{
	struct vmtap_census_options census = {.size = sizeof(census),
		.by = VMTAP_CENSUS_BY_CLASS,
		.take = take_census,
		.context = "Class",
		.period_ms = 1,
		.polls = !is("callback")};
	pid_t client = 0;

	if (is_lossless)
		client = run_client(is("stop") ? read_each : read_all);
	else if (is("sockets") || is("restarts"))
		client = run_client(storm);
	in_handlers = is("fire");
	vmtap_census_register(&census);
	signal(SIGUSR1, on_signal);
	atomic_store(&refuses_masks, is("refused"));
	start();
	return client;
}

static void run(void)
{
	pthread_t operating, forking, turning;

	bool has_loop = turns && !is("turn"); /* whose turns are taken without the lock */

	if (has_loop)
		pthread_create(&turning, NULL, take_turns, NULL);
	while (is_lossless && !is("stop") && !told->ready)
		if (is("turn"))
			vmtap_turn();
		else
			sched_yield();
	while ((is("sockets") || is("restarts")) && told->connections < 10)
		sched_yield();
	pthread_create(&operating, NULL, operate_often, NULL);
	pthread_create(&forking, NULL, fork_often, NULL);
	pthread_join(operating, NULL);
	atomic_store(&is_over, true);
	told->over = true;
	pthread_join(forking, NULL);
	if (has_loop)
		pthread_join(turning, NULL);
}

int main(int argc, char **argv)
{
	if (argc < 7)
		return 2;
	operation = argv[1];
	is_log = !strcmp(argv[2], "log");
	is_lossless = !strcmp(argv[2], "lossless");
	turns = atoi(argv[3]);
	count = strtoull(argv[4], NULL, 10);
	forks_wanted = strtoull(argv[5], NULL, 10);
	snprintf(path, sizeof(path), "%s/socket", argv[6]);
	snprintf(log_path, sizeof(log_path), "%s/log", argv[6]);
	extension = argc > 7 ? argv[7] : NULL;
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (told == MAP_FAILED)
		return 2;
	alarm(getenv("VM_LOCK_SECONDS") ? (unsigned)atoi(getenv("VM_LOCK_SECONDS")) : HANGS_S);
	uint64_t began = reader_now();
	pid_t client = begin();
	run();
	double seconds = (double)(reader_now() - began) / 1e9;
	vmtap_stop();
	count_log();
	if (client && is("stop")) /* it may be waiting for the next start */
		kill(client, SIGKILL);
	if (client)
		waitpid(client, NULL, 0);
	bool kept = is_kept();
	printf("%s: %" PRIu64 " times, %" PRIu64 " forks, %" PRIu64 " bad children, %" PRIu64
	       " signals; fired %" PRIu64 ", received %" PRIu64 ", lost %" PRIu64 ", %" PRIu64
	       " connections a second, %.1f s%s%s\n",
		kept ? "kept" : "BROKEN", done, forks, told->bad_children, signals, fired,
		told->idle, told->lost, (uint64_t)((double)told->connections / seconds), seconds,
		*told->error ? ": " : "", told->error);
	return kept ? 0 : 1;
}
