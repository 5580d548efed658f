/*
 * promises.c: what vmtap.h promises beyond the account of events, in real processes without a
 * fault. trial.c looks at what a failure may do, the schedules at every order of things; here is
 * what both take for granted: what the calls leave as they found it, descriptors and access rights,
 * what a forked child has, times and threads of events, how long anything waits, memory.
 *
 *     promises [SCENARIO ...]
 *     promises --scenarios
 *
 * Prints a line for each broken promise, then one with the number of checks; exits with 1 if any
 * promise was broken.
 */
#include "promise.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "wire/wire.h"

enum { LIMIT_S = 100, LITTLE = 8192 };

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {{"caller", promise_caller}, {"cancel", promise_cancel}, {"stack", promise_stack},
	{"descriptors", promise_descriptors}, {"refused", promise_refused},
	{"access", promise_access}, {"strangers", promise_strangers}, {"fork", promise_fork},
	{"children", promise_children}, {"stamps", promise_stamps}, {"flush", promise_flush},
	{"lossless", promise_lossless}, {"eviction", promise_eviction}, {"busy", promise_busy},
	{"end-marker", promise_end_marker}, {"memory", promise_memory},
	{"default-memory", promise_default_memory}, {"idle", promise_idle}};
enum { SCENARIOS = sizeof(scenarios) / sizeof(*scenarios) };

char promise_folder[64];

static struct {
	_Atomic unsigned long checks, broken;
} * tally;
static const char *scenario;

/* ---- checks ---- */

void promise_check(bool holds, const char *format, ...)
{
	char text[400], line[500];
	va_list arguments;
	int length;

	tally->checks++;
	if (holds)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (tally->broken++ >= 20)
		return;
	length = snprintf(line, sizeof(line), "broken: %s: %s\n", scenario, text);
	if (write(STDOUT_FILENO, line, (size_t)length) != length)
		_exit(3);
}

void promise_abort(const char *format, ...)
{
	char text[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	promise_check(false, "%s", text);
	_exit(3);
}

uint64_t promise_now(void)
{
	return reader_now();
}

void promise_sleep_ms(unsigned ms)
{
	struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

long long promise_status(const char *task, const char *key, int base)
{
	char path[100], line[256];
	long long value = -1;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
	if (!strcmp(task, "self"))
		strcpy(path, "/proc/self/status");
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file)) {
		found = !strncmp(line, key, strlen(key)) && line[strlen(key)] == ':';
		if (found)
			value = (long long)strtoull(line + strlen(key) + 1, NULL, base);
	}
	if (file)
		fclose(file);
	return value;
}

/* ---- other processes ---- */

void promise_path(pid_t process, char path[128])
{
	snprintf(path, 128, "%s/vmtap/%d", promise_folder, (int)process);
}

struct promise_partner promise_begin(void (*run)(int line, void *context), void *context)
{
	struct promise_partner partner;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		promise_abort("no socketpair: %s", strerror(errno));
	partner.process = fork();
	if (partner.process < 0)
		promise_abort("no process: %s", strerror(errno));
	if (!partner.process) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGPIPE, SIG_IGN);
		close(pair[0]);
		run(pair[1], context);
		_exit(0);
	}
	close(pair[1]);
	partner.line = pair[0];
	return partner;
}

void promise_say(int line, char word)
{
	ssize_t sent = send(line, &word, 1, MSG_NOSIGNAL);

	(void)sent; /* the other process may have ended, which its status shows */
}

char promise_hear(int line)
{
	char word = 0;

	while (read(line, &word, 1) < 0 && errno == EINTR)
		;
	return word;
}

void promise_end(struct promise_partner *partner)
{
	int status = 0;

	shutdown(partner->line, SHUT_RDWR); /* later partners have a copy of it */
	close(partner->line);
	while (waitpid(partner->process, &status, 0) < 0 && errno == EINTR)
		;
	promise_expect(status == 0, "a client ends with status %#x", status);
}

/* ---- clients ---- */

void promise_read_end(struct reader *reader)
{
	char more[64];
	ssize_t got;

	if (!reader->ended)
		reader_until_end(reader);
	promise_expect(!*reader->error, "the stream: %s", reader->error);
	promise_expect(reader->ended, "the stream has no end marker");
	if (!reader->ended)
		return;
	while ((got = read(reader->socket, more, sizeof(more))) < 0 && errno == EINTR)
		;
	promise_expect(got == 0 || (got < 0 && errno == ECONNRESET),
		"%zd bytes follow the end marker", got);
}

/* To read all at once from now on, or the other process has ended. */
static bool is_told(int line)
{
	struct pollfd polled = {.fd = line, .events = POLLIN};

	return poll(&polled, 1, 0) > 0;
}

static void ask_for_samples(struct reader *reader)
{
	unsigned char frame[WIRE_SAMPLING_BYTES] = WIRE_SAMPLING;

	frame[5] = WIRE_SAMPLING_THREADS;
	frame[WIRE_SAMPLING_BYTES - 1] = 1;
	reader_send(reader, frame, sizeof(frame));
	frame[5] = WIRE_SAMPLING_TIME;
	frame[WIRE_SAMPLING_BYTES - 3] = 16; /* a millisecond, about */
	reader_send(reader, frame, sizeof(frame));
}

void promise_run_client(int line, void *context)
{
	const struct promise_client *client = context;
	static struct reader reader;
	char path[128];

	if (!promise_hear(line))
		return;
	promise_path(getppid(), path);
	while (!reader_open(&reader, path))
		promise_sleep_ms(1);
	reader.on_event = client->on_event;
	if (!reader_until_header(&reader))
		promise_abort("no header: %s", reader.error);
	if (client->samples)
		ask_for_samples(&reader);
	reader_subscribe_all(&reader, client->flags, 1);
	if (!reader_until_acknowledged(&reader, 1))
		promise_abort("no answer: %s", reader.error);
	promise_expect((reader.flags & WIRE_LOSSLESS) == (client->flags & WIRE_LOSSLESS),
		"the answer has the flags %#x instead of %#x", reader.flags, client->flags);
	promise_say(line, 's');
	if (client->pause_us)
		reader.piece = LITTLE;
	while (client->pause_us && !reader.ended && !reader.closed && !*reader.error &&
		!is_told(line)) {
		reader_step(&reader, 100);
		usleep(client->pause_us);
	}
	reader.piece = 0;
	if (!client->cut)
		promise_read_end(&reader);
	else
		reader_until_end(&reader);
	if (client->at_end)
		client->at_end(&reader);
	reader_close(&reader);
}

struct promise_partner promise_connect(const struct promise_client *client)
{
	struct promise_partner partner =
		promise_begin(promise_run_client, (void *)(uintptr_t)client);

	promise_say(partner.line, 'c');
	if (promise_hear(partner.line) != 's')
		promise_abort("a client cannot subscribe");
	return partner;
}

/* ---- main ---- */

static void run(unsigned index)
{
	char command[100];
	int status = 0;

	scenario = scenarios[index].name;
	snprintf(promise_folder, sizeof(promise_folder), "/tmp/promise-XXXXXX");
	if (!mkdtemp(promise_folder)) {
		perror(promise_folder);
		exit(2);
	}
	pid_t process = fork();
	if (!process) {
		setpgid(0, 0);
		setenv("XDG_RUNTIME_DIR", promise_folder, 1);
		alarm(LIMIT_S);
		scenarios[index].run();
		vmtap_stop();
		_exit(0);
	}
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	kill(-process, SIGKILL); /* what it has left */
	if (WIFSIGNALED(status))
		promise_expect(false, WTERMSIG(status) == SIGALRM ? "it hangs" : "signal %d",
			WTERMSIG(status));
	else
		promise_expect(WEXITSTATUS(status) == 0 || tally->broken, "status %d",
			WEXITSTATUS(status));
	snprintf(command, sizeof(command), "rm -rf %s", promise_folder);
	if (system(command))
		fprintf(stderr, "%s remains\n", promise_folder);
}

int main(int argc, char **argv)
{
	bool any = argc == 1;

	tally = mmap(
		NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (tally == MAP_FAILED)
		return 2;
	unsetenv("VMTAP_WAIT");
	unsetenv("VMTAP_LOG");
	unsetenv("VMTAP_SOCKET");
	for (unsigned i = 0; i < SCENARIOS; i++) {
		bool wanted = argc == 1;
		if (argc == 2 && !strcmp(argv[1], "--scenarios")) {
			puts(scenarios[i].name);
			any = true;
			continue;
		}
		for (int j = 1; j < argc; j++)
			wanted |= !strcmp(argv[j], scenarios[i].name);
		any |= wanted;
		if (wanted)
			run(i);
	}
	if (!any)
		fprintf(stderr, "promises: no such scenario\n");
	if (tally->checks)
		printf("promises: %lu checks, %lu broken\n", (unsigned long)tally->checks,
			(unsigned long)tally->broken);
	return !any ? 2 : tally->broken ? 1 : 0;
}
