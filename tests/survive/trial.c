/*
 * trial.c: one run of a traced program in which a call of the library may fail (fault.c).
 *     trial SCENARIO FOLDER
 *     trial --scenarios
 *     trial --points FILE
 *
 * Three processes: the VM, which uses the library as its scenario says; a client, which reads the
 * stream with the reader of the tests; and this one, which waits for both and then compares. It
 * prints a line for each violation and exits with 1 if there is any. What must hold whatever fails:
 *   - the VM writes what it always writes and exits with its own status, in time;
 *   - after the fault, the VM can fork, stop, start and be served again, and no descriptor is left;
 *   - a stream that ends with its marker has delivered each event that was fired, or has told of
 *     its loss, for each probe; no thread's events are more than that thread has fired;
 *   - a stream that is cut is cut once: the client that comes next gets all; a call that is
 *     interrupted by a signal cuts none;
 *   - nothing follows the end marker;
 *   - a call leaves errno, the signal mask and the cancellation state as they were;
 *   - a forked child has closed guards, one thread, and no descriptor of the library's.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/reader.h"
#include "survive/fault.h"
#include "vmtap.h"
#include "wire/place.h"
#include "wire/wire.h"

enum {
	THREADS = 3,
	ROUNDS = 2,
	NAMES = 200,
	VM_STATUS = 7,
	LIMIT_MS = 20000,
	TALLIED = 16,
	TURNS_MAX = 200000 /* far more than any scenario needs: the loop spins */
};

static const char output[] = "what the guest program writes\n";

static const struct scenario {
	const char *name;
	uint8_t flags;
	unsigned events; /* of each thread in each round, of each of five probes */
	uint32_t ring_bytes;
	bool waits, logs, forks, census, exits, others, turns;
} scenarios[] = {
	{.name = "stream", .events = 300},
	{.name = "lossless", .flags = WIRE_LOSSLESS, .events = 3000, .ring_bytes = 1},
	{.name = "overflow", .events = 3000, .ring_bytes = 1},
	{.name = "clocked", .flags = WIRE_CPU_CLOCK, .events = 100},
	{.name = "wait", .events = 100, .waits = true},
	{.name = "log", .events = 300, .logs = true},
	{.name = "fork", .events = 100, .forks = true},
	{.name = "census", .events = 100, .census = true},
	{.name = "exit", .events = 100, .exits = true},
	{.name = "others", .events = 300, .others = true},
	{.name = "turns", .events = 300, .turns = true, .census = true},
	{.name = "turns-wait", .events = 100, .turns = true, .waits = true},
	{.name = "turns-lossless",
		.flags = WIRE_LOSSLESS,
		.events = 3000,
		.ring_bytes = 1,
		.turns = true},
};

/* The probes that the VM fires. */
static const char *const fired_names[] = {
	"method-entry", "user-msg", "object-create", "gc-idle", "method-return"};
enum { FIRED = sizeof(fired_names) / sizeof(*fired_names) };

/* Events by probe, numbered as above, and for each thread. */
struct tally {
	uint64_t all[FIRED];
	struct {
		uint64_t thread, of[FIRED];
	} threads[TALLIED];
};

/* What was fired in a round, and what its client has seen. */
struct round {
	bool connected, ended;
	char error[256], message[256];
	struct tally fired, received;
	uint64_t lost[FIRED];
};

/* Shared by the three processes. */
struct results {
	pid_t vm;
	struct round rounds[ROUNDS + 1]; /* the last one: the log */
	int start_error;
	bool logs;
	char violations[2000];
};

static struct results *results;
static const struct scenario *scenario;
static char folder[100];

static void violation(const char *what, long value)
{
	size_t length = strlen(results->violations);

	snprintf(results->violations + length, sizeof(results->violations) - length, "%s (%ld)\n",
		what, value);
}

/* ---- the client ---- */

static struct round *reading;

/* The VM's number for a probe of the stream, FIRED if it does not fire that one. A fault may keep
 * a probe out of the stream, so the stream's numbers differ. */
static unsigned number_of(const struct reader *reader, unsigned probe)
{
	unsigned i = 0;

	while (i < FIRED && strcmp(reader->probes[probe].name, fired_names[i]) != 0)
		i++;
	return i;
}

static void count_event(struct reader *reader, const struct reader_event *event)
{
	struct tally *tally = &reading->received;
	unsigned number = number_of(reader, event->probe), i = 0;

	if (number == FIRED)
		return;
	while (i < TALLIED - 1 && tally->threads[i].thread &&
		tally->threads[i].thread != event->thread)
		i++;
	tally->all[number]++;
	tally->threads[i].thread = event->thread;
	tally->threads[i].of[number]++;
}

/* The VM closes the connection after the end marker. */
static void read_beyond(const struct reader *reader)
{
	char more[64];
	ssize_t got;

	while ((got = read(reader->socket, more, sizeof(more))) < 0 && errno == EINTR)
		;
	if (got > 0)
		violation("bytes follow the end marker", got);
}

static void end_reading(struct reader *reader, struct round *round)
{
	if (reader->ended)
		read_beyond(reader);
	for (unsigned i = 0; i < reader->probe_count; i++)
		if (number_of(reader, i) < FIRED)
			round->lost[number_of(reader, i)] += reader->probes[i].lost;
	round->ended = reader->ended;
	snprintf(round->error, sizeof(round->error), "%s", reader->error);
	snprintf(round->message, sizeof(round->message), "%s", reader->message);
	reader_close(reader);
}

static bool has_command(int commands, int wait_ms)
{
	struct pollfd polled = {commands, POLLIN, 0};

	return poll(&polled, 1, wait_ms) > 0;
}

/* The socket is where the library puts it: if a name cannot be used, at the next one. */
static bool open_reader(struct reader *reader)
{
	char directory[200], name[PLACE_NAME_MAX], path[300];

	for (unsigned i = 0; results->vm && i < PLACE_DIRECTORIES; i++)
		for (unsigned j = 0; j < 3; j++) {
			if (!place_directory(i, folder, geteuid(), directory, sizeof(directory)))
				continue;
			place_socket((uint32_t)results->vm, j, name);
			snprintf(path, sizeof(path), "%s/%s", directory, name);
			if (reader_open(reader, path))
				return true;
		}
	return false;
}

/* A VM that waits for a client waits for the next one if the first is refused. */
static bool connect_reader(struct reader *reader, int commands)
{
	while (!has_command(commands, 2))
		if (open_reader(reader)) {
			reader->on_event = count_event;
			if (scenario->census)
				reader_send(reader, "GCTL\1GCTL\3", 10);
			if (reader_until_header(reader)) {
				reader_subscribe_all(reader, scenario->flags, 1);
				if (reader_until_acknowledged(reader, 1))
					return true;
			}
			reader_close(reader);
			if (!scenario->waits)
				return false;
		}
	return false;
}

/* Reads until the VM says what to do next. */
static void follow(struct reader *reader, int commands)
{
	while (!reader->ended && !*reader->error) {
		struct pollfd polled[] = {{commands, POLLIN, 0}, {reader->socket, POLLIN, 0}};
		poll(polled, 2, -1);
		if (polled[0].revents)
			return;
		reader_step(reader, 0);
	}
}

static int run_client(int commands)
{
	struct reader reader;
	char command, log[128];
	unsigned i = 0;

	signal(SIGPIPE, SIG_IGN);
	snprintf(log, sizeof(log), "%s/log", folder);
	while (read(commands, &command, 1) == 1) {
		struct round *round = reading = &results->rounds[command == 'l' ? ROUNDS : i++];
		char answer = 'x';
		if (command == 'l') {
			if (reader_open_file(&reader, log)) {
				reader.on_event = count_event;
				round->connected = true;
				reader_until_end(&reader);
				end_reading(&reader, round);
			}
		} else if (connect_reader(&reader, commands)) {
			round->connected = true;
			answer = 'r';
			if (write(commands, &answer, 1) != 1)
				return 1;
			follow(&reader, commands);
			if (read(commands, &command, 1) != 1)
				return 1;
			if (command == 'f' && !reader.ended && !*reader.error)
				reader_finish(&reader);
			else if (!reader.ended && !*reader.error)
				reader_until_end(&reader);
			end_reading(&reader, round);
			if (command == 'e') /* nobody waits for an answer */
				continue;
		}
		if (write(commands, &answer, 1) != 1)
			return 1;
	}
	return 0;
}

/* ---- the VM ---- */

static struct vmtap_name names[NAMES];
static struct round *firing;
static pthread_mutex_t tally_lock = PTHREAD_MUTEX_INITIALIZER;

enum { SENTINEL = 4711 };

/* What a thread has apart from errno. */
struct state {
	sigset_t mask;
	int cancel;
};

static struct state state_now(void)
{
	struct state now;

	sigemptyset(&now.mask);
	pthread_sigmask(SIG_SETMASK, NULL, &now.mask);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &now.cancel);
	pthread_setcancelstate(now.cancel, NULL);
	errno = SENTINEL;
	return now;
}

static void check_errno(const char *what)
{
	char text[100];

	if (errno == SENTINEL)
		return;
	snprintf(text, sizeof(text), "%s changes errno", what);
	violation(text, errno);
	errno = SENTINEL;
}

static void check_state(const struct state *before, const char *what)
{
	char text[100];

	check_errno(what);
	struct state after = state_now();
	for (int i = 1; i < NSIG; i++) {
		if (sigismember(&before->mask, i) == sigismember(&after.mask, i))
			continue;
		snprintf(text, sizeof(text), "%s changes the signal mask", what);
		violation(text, i);
		break;
	}
	if (before->cancel == after.cancel)
		return;
	snprintf(text, sizeof(text), "%s changes the cancellation state", what);
	violation(text, after.cancel);
}

static void *fire(void *argument)
{
	static _Atomic unsigned next;
	unsigned at = next++ % TALLIED;
	struct state before = state_now();
	for (unsigned i = 0; i < scenario->events; i++) {
		struct vmtap_name *name = &names[i % NAMES];
		VMTAP_METHOD_ENTRY(name, name, name, 1, 1);
		VMTAP_USER_MSG(0, "a text");
		VMTAP_OBJECT_CREATE(name, 8, name, 2, 1, i);
		VMTAP_GC_IDLE(0);
		VMTAP_METHOD_RETURN(name, name, name, 1, 1);
		check_errno("an event");
		if (scenario->census)
			vmtap_census_take();
	}
	check_state(&before, "an event or a census");
	pthread_mutex_lock(&tally_lock);
	firing->fired.threads[at].thread = (uint64_t)syscall(SYS_gettid);
	for (unsigned i = 0; i < FIRED; i++) {
		firing->fired.threads[at].of[i] += scenario->events;
		firing->fired.all[i] += scenario->events;
	}
	pthread_mutex_unlock(&tally_lock);
	return argument;
}

/* The VM's loop: until the other process, or a thread of this one, has written something. */
static void take_turns(int until)
{
	static unsigned turns;
	struct pollfd polled[] = {{until, POLLIN, 0}, {-1, POLLIN, 0}};

	while (scenario->turns) {
		polled[1].fd = vmtap_descriptor();
		if (poll(polled, 2, -1) > 0 && polled[0].revents)
			return;
		if (vmtap_turn() > 0)
			violation("vmtap_turn() returns a positive number", 0);
		if (++turns == TURNS_MAX)
			violation("the VM's loop spins", turns);
	}
}

static void *fire_and_tell(void *argument)
{
	int *told = argument;

	fire(NULL);
	if (write(told[1], "x", 1) != 1)
		violation("a pipe cannot be written", errno);
	return NULL;
}

static void fire_beside_turns(void)
{
	pthread_t threads[THREADS];
	int told[2];
	char word;

	if (pipe(told)) {
		violation("no pipe", errno);
		return;
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, fire_and_tell, told);
	for (unsigned i = 0; i < THREADS; i++) {
		take_turns(told[0]);
		if (read(told[0], &word, 1) != 1)
			violation("a pipe cannot be read", errno);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	close(told[0]);
	close(told[1]);
}

static void fire_on_threads(void)
{
	pthread_t threads[THREADS];

	if (scenario->turns) {
		fire_beside_turns();
		return;
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, fire, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static int count_descriptors(void)
{
	DIR *all = opendir("/proc/self/fd");
	int count = 0;

	while (all && readdir(all))
		count++;
	if (all)
		closedir(all);
	return count;
}

/* The first try may fail, by the fault; a second one must not. */
static void start(bool waits)
{
	struct vmtap_options options = {.size = sizeof(options),
		.ring_bytes = scenario->ring_bytes,
		.without_thread = scenario->turns};
	char log[128];

	snprintf(log, sizeof(log), "%s/log", folder);
	if (scenario->logs)
		setenv("VMTAP_LOG", log, 1);
	struct state before = state_now();
	int error = vmtap_start(&options);
	check_state(&before, "vmtap_start()");
	if (error > 0)
		violation("vmtap_start() returns a positive number", error);
	if (error == 0)
		return;
	results->start_error = error;
	if (scenario->logs)
		setenv("VMTAP_LOG", log, 1);
	if (waits)
		setenv("VMTAP_WAIT", "1", 1);
	error = vmtap_start(&options);
	if (error)
		violation("vmtap_start() fails twice", error);
}

static void stop(void)
{
	struct state before = state_now();

	vmtap_stop();
	check_state(&before, "vmtap_stop()");
}

static unsigned count_threads(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[200];
	unsigned count = 0;

	while (file && !count && fgets(line, sizeof(line), file))
		if (sscanf(line, "Threads: %u", &count) != 1)
			count = 0;
	if (file)
		fclose(file);
	return count;
}

/* descriptors: as many as the VM had before it used the library. */
static void check_child(int descriptors)
{
	for (unsigned i = 0; vmtap_guard(i); i++)
		if (*(const volatile uint32_t *)vmtap_guard(i))
			violation("a guard is open in a child", (long)i);
	if (count_descriptors() != descriptors)
		violation("a child has other descriptors", count_descriptors() - descriptors);
	if (count_threads() != 1)
		violation("a child has threads", count_threads());
	if (vmtap_descriptor() != -EBADF || vmtap_census_wanted())
		violation("a child has something of the stream", vmtap_descriptor());
}

static void check_fork(bool serves, int descriptors)
{
	int status;
	struct state before = state_now();
	pid_t child = fork();

	if (child >= 0)
		check_state(&before, "fork()");
	if (child == 0) {
		struct vmtap_options options = {.size = sizeof(options)};
		check_child(descriptors);
		VMTAP_GC_IDLE(0);
		if (serves && vmtap_start(&options) && vmtap_start(&options))
			_exit(4);
		VMTAP_GC_IDLE(0);
		if (serves)
			vmtap_stop();
		_exit(3);
	}
	if (child < 0 || waitpid(child, &status, 0) != child ||
		(!getenv("SURVIVE_KILL") && (!WIFEXITED(status) || WEXITSTATUS(status) != 3)))
		violation("a child of fork() ends in another way", child < 0 ? -errno : status);
}

static char ask(int commands, char command)
{
	char answer = 0;

	if (write(commands, &command, 1) != 1)
		violation("the client has died", command);
	take_turns(commands);
	if (read(commands, &answer, 1) != 1)
		violation("the client has died", command);
	return answer;
}

static void take_census(struct vmtap_census *census, void *context)
{
	vmtap_census_add(census, context, strlen(context), 8);
}

static void run_vm(int commands)
{
	struct vmtap_census_options census = {.size = sizeof(census),
		.by = VMTAP_CENSUS_BY_CLASS,
		.take = take_census,
		.context = "Class",
		.period_ms = 1};
	char ready;

	results->vm = getpid();
	for (unsigned i = 0; i < NAMES; i++)
		vmtap_name_init(&names[i], output, i % sizeof(output));
	if (scenario->census)
		vmtap_census_register(&census);
	int descriptors = count_descriptors();
	for (unsigned i = 0; i < ROUNDS; i++) {
		bool asked = scenario->waits && i == 0;
		firing = &results->rounds[scenario->logs ? ROUNDS : i];
		if (asked) {
			setenv("VMTAP_WAIT", "1", 1);
			if (write(commands, "c", 1) != 1)
				violation("the client has died", 0);
		}
		if (i == 0 || !scenario->others)
			start(asked);
		results->logs = scenario->logs;
		if (scenario->logs) {
			fire_on_threads();
			stop();
			ask(commands, 'l');
			if (i == 0) /* the second round's log replaces this one */
				memset(&results->rounds[ROUNDS], 0, sizeof(struct round));
			continue;
		}
		ready = 0;
		if (asked)
			take_turns(commands);
		if (asked && read(commands, &ready, 1) != 1)
			violation("the client has died", 0);
		else if (!asked)
			ready = ask(commands, 'c');
		if (scenario->forks && i == 0)
			check_fork(true, descriptors);
		fire_on_threads();
		if (scenario->exits && i == ROUNDS - 1) {
			if (ready == 'r' && write(commands, "e", 1) != 1)
				violation("the client has died", 0);
			break;
		}
		if (ready == 'r')
			ask(commands, 'f');
		if (!scenario->others || i == ROUNDS - 1)
			stop();
	}
	if (!scenario->exits && count_descriptors() != descriptors)
		violation("descriptors are left", count_descriptors() - descriptors);
	check_fork(true, descriptors);
	if (write(STDOUT_FILENO, output, sizeof(output) - 1) < 0)
		violation("the VM cannot write", errno);
	exit(VM_STATUS);
}

/* ---- the comparison ---- */

static bool has_fired(const struct round *round, unsigned by)
{
	const struct tally *received = &round->received, *fired = &round->fired;

	for (unsigned i = 0; i < TALLIED; i++) {
		if (fired->threads[i].thread != received->threads[by].thread)
			continue;
		for (unsigned j = 0; j < FIRED; j++)
			if (received->threads[by].of[j] > fired->threads[i].of[j])
				return false;
		return true;
	}
	return false;
}

static void check_error(const struct round *round, unsigned index)
{
	char what[400];

	if (*round->error && !strstr(round->error, "ended early") &&
		!strstr(round->error, "reset")) {
		snprintf(what, sizeof(what), "round %u: %s", index, round->error);
		violation(what, 0);
	}
}

static void check_round(const struct round *round, unsigned index)
{
	char what[400];

	for (unsigned i = 0; i < FIRED; i++) {
		uint64_t fired = round->fired.all[i], received = round->received.all[i],
			 seen = received + round->lost[i];
		bool kept_out = strstr(round->message, fired_names[i]) ||
			strstr(round->message, "built with");
		if (seen == fired || ((!round->ended || kept_out) && seen < fired))
			continue;
		snprintf(what, sizeof(what),
			"round %u, %s: fired %lu, delivered %lu, told lost %lu", index,
			fired_names[i], fired, received, round->lost[i]);
		violation(what, (long)(seen - fired));
	}
	for (unsigned i = 0; i < TALLIED && round->received.threads[i].thread; i++)
		if (!has_fired(round, i))
			violation("a thread has more events than it fired", (long)index);
	check_error(round, index);
}

/* A signal that interrupts a call is no failure. */
static bool is_interruption(void)
{
	const char *fault = getenv("SURVIVE_FAULT");
	int error = 0;

	return fault && sscanf(fault, "%*x %*u %d", &error) == 1 && error == EINTR;
}

static void check_rounds(void)
{
	unsigned cut = 0;

	if (results->logs) {
		check_round(&results->rounds[ROUNDS], ROUNDS);
		if (!results->rounds[ROUNDS].ended)
			violation("the log of the second run has no end", 0);
		return;
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		const struct round *round = &results->rounds[i];
		cut += !round->connected || !round->ended;
		if (round->connected)
			check_round(round, i);
	}
	if (cut > 1)
		violation("more than one stream was cut", cut);
	if (cut && is_interruption())
		violation("a stream was cut, though a call was interrupted only", cut);
	if (cut)
		printf("cut\n");
}

static bool await_end(pid_t process, int *status, int *left_ms)
{
	while (waitpid(process, status, WNOHANG) != process) {
		if ((*left_ms -= 2) < 0)
			return false;
		usleep(2000);
	}
	return true;
}

static int run(void)
{
	int pair[2], out[2], status = 0, left_ms = LIMIT_MS;
	char written[256];
	size_t length = 0;
	ssize_t got;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) || pipe(out))
		return 2;
	pid_t client = fork();
	if (client == 0) {
		close(pair[0]);
		close(out[0]);
		close(out[1]);
		_exit(run_client(pair[1]));
	}
	close(pair[1]);
	pid_t vm = fork();
	if (vm == 0) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		run_vm(pair[0]);
	}
	close(pair[0]);
	close(out[1]);
	if (!await_end(vm, &status, &left_ms)) {
		violation("the VM hangs", vm);
		if (getenv("SURVIVE_KEEP"))
			pause();
		kill(vm, SIGKILL);
		waitpid(vm, &status, 0);
	} else if (!getenv("SURVIVE_KILL") &&
		(!WIFEXITED(status) || WEXITSTATUS(status) != VM_STATUS)) {
		violation("the VM's exit status is not its own", status);
	}
	left_ms = LIMIT_MS;
	if (!await_end(client, &status, &left_ms)) {
		violation("the client hangs", client);
		kill(client, SIGKILL);
	} else if (status && !getenv("SURVIVE_KILL")) { /* without a VM it has nobody to answer */
		violation("the client fails", status);
	}
	while (length < sizeof(written) &&
		(got = read(out[0], written + length, sizeof(written) - length)) > 0)
		length += (size_t)got;
	if (getenv("SURVIVE_KILL")) { /* the client's streams are well-formed as far as they go */
		for (unsigned i = 0; i < ROUNDS; i++)
			check_error(&results->rounds[i], i);
		return 0;
	}
	if (length != sizeof(output) - 1 || memcmp(written, output, length))
		violation("the VM's output is not its own", (long)length);
	check_rounds();
	return 0;
}

/* Without the exit handler of the library, which this process does not use: SURVIVE_KILL would end
 * it in there, and not the VM. */
static _Noreturn void end(int status)
{
	fflush(stdout);
	_exit(status);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--scenarios")) {
		for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
			puts(scenarios[i].name);
		end(0);
	}
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "--points")) {
		int descriptor = open(argv[2], O_RDONLY);
		struct fault_file *map = descriptor < 0
			? MAP_FAILED
			: mmap(NULL, sizeof(*map), PROT_READ, MAP_SHARED, descriptor, 0);
		if (map == MAP_FAILED)
			return 2;
		fault_print(map);
		return 0;
	}
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++)
		if (!strcmp(scenarios[i].name, argv[1]))
			scenario = &scenarios[i];
	if (!scenario)
		return 2;
	results = mmap(
		NULL, sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		return 2;
	snprintf(folder, sizeof(folder), "%s", argv[2]);
	setenv("XDG_RUNTIME_DIR", folder, 1);
	unsetenv("VMTAP_WAIT");
	if (run())
		end(2);
	fputs(results->violations, stdout);
	end(*results->violations ? 1 : 0);
}
