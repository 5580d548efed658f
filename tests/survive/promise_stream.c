/*
 * promise_stream.c: what clients find in a stream, how long anything waits for whom, and how much
 * memory and time all this takes.
 */
#include "promise.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "wire/wire.h"

enum {
	MS = 1000000,
	THREADS = 3,
	WAVES = 3,
	EACH = 2000,
	SHOTS = THREADS * WAVES * EACH,
	OFF_NS = 250000, /* what a time may be off: less than a millisecond */
	CPU_OFF_NS = 50000,
	SLACK_MS = 8000, /* on a busy machine; much more than any wait that is tested */
	CLIENTS_MAX = 64
};

/* ---- times, threads, processors ---- */

/* What is known of an event at the place where it is fired. */
struct shot {
	uint64_t before, after, cpu_before, cpu_after;
	int thread, cpu; /* cpu -1: it may have been any */
	bool arrived;
};

static struct shot *shots; /* shared with the client */
static _Atomic unsigned next_shot;

static uint64_t cpu_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void shoot(void)
{
	unsigned index = next_shot++;
	struct shot *shot = &shots[index];
	int cpu = sched_getcpu();

	shot->thread = (int)syscall(SYS_gettid);
	shot->cpu_before = cpu_time();
	shot->before = promise_now();
	VMTAP_THREAD_RUN(0, index);
	shot->after = promise_now();
	shot->cpu_after = cpu_time();
	shot->cpu = sched_getcpu() == cpu ? cpu : -1;
}

static void *shoot_all(void *unused)
{
	for (unsigned i = 0; i < EACH; i++) {
		shoot();
		if (i % 500 == 0)
			promise_sleep_ms(30); /* the server sleeps, and the clocks drift */
		else if (i % 100 == 0)
			promise_sleep_ms(1);
	}
	return unused;
}

static uint64_t off(uint64_t time, uint64_t from, uint64_t to)
{
	return time < from ? from - time : time > to ? time - to : 0;
}

static void check_shot(struct reader *reader, const struct reader_event *event)
{
	uint64_t time = reader->zero + event->time, index = event->arguments[1].value;
	struct shot *shot = &shots[index];

	if (strcmp(reader->probes[event->probe].name, "thread-run") != 0 || index >= SHOTS) {
		promise_expect(false, "event %s %lu, which nobody fired",
			reader->probes[event->probe].name, (unsigned long)index);
		return;
	}
	promise_expect(!shot->arrived, "event %lu arrives twice", (unsigned long)index);
	shot->arrived = true;
	promise_expect(event->thread == (uint64_t)shot->thread,
		"event %lu is of OS thread %lu, not %d", (unsigned long)index,
		(unsigned long)event->thread, shot->thread);
	while (!*(volatile uint64_t *)&shot->after)
		sched_yield();
	promise_expect(off(time, shot->before, shot->after) <= OFF_NS,
		"the time of event %lu is off by %lu us", (unsigned long)index,
		(unsigned long)off(time, shot->before, shot->after) / 1000);
	promise_expect(off(event->cpu_time, shot->cpu_before,
			       *(volatile uint64_t *)&shot->cpu_after) <= CPU_OFF_NS ||
			!shot->cpu_after,
		"the CPU clock of event %lu is off by %lu us", (unsigned long)index,
		(unsigned long)off(event->cpu_time, shot->cpu_before, shot->cpu_after) / 1000);
}

/* What is known only after the event was fired is checked at the end. */
static struct {
	int cpu;
} seen[SHOTS];

static void take_shot(struct reader *reader, const struct reader_event *event)
{
	check_shot(reader, event);
	if (event->arguments[1].value < SHOTS)
		seen[event->arguments[1].value].cpu = (int)event->cpu;
}

static void check_all_shots(struct reader *reader)
{
	(void)reader;
	for (unsigned i = 0; i < SHOTS; i++) {
		promise_expect(shots[i].arrived, "event %u does not arrive", i);
		promise_expect(shots[i].cpu < 0 || shots[i].cpu == seen[i].cpu,
			"event %u is of CPU %d, not %d", i, seen[i].cpu, shots[i].cpu);
	}
}

void promise_stamps(void)
{
	static const struct promise_client client = {.flags = WIRE_LOSSLESS | WIRE_CPU_CLOCK,
		.on_event = take_shot,
		.at_end = check_all_shots};
	pthread_t threads[THREADS];

	shots = mmap(NULL, SHOTS * sizeof(*shots), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shots == MAP_FAILED)
		promise_abort("no memory");
	vmtap_start(NULL);
	struct promise_partner reader = promise_connect(&client);
	for (unsigned i = 0; i < WAVES;
		i++) { /* later threads may get the numbers of earlier ones */
		for (unsigned j = 0; j < THREADS; j++)
			if (pthread_create(&threads[j], NULL, shoot_all, NULL))
				promise_abort("no thread");
		for (unsigned j = 0; j < THREADS; j++)
			pthread_join(threads[j], NULL);
	}
	vmtap_stop();
	promise_end(&reader);
}

/* ---- how long the end waits ---- */

enum { FLUSH_MS = 400, FILLING = 60000 };

static uint64_t fired, received;

static void count(struct reader *reader, const struct reader_event *event)
{
	(void)reader, (void)event;
	received++;
}

/* Subscribes, and reads only on the command 'r'. Reports how many events it received and lost.
 */
struct sleeper {
	uint8_t flags;
	unsigned after_ms; /* it then waits for so long */
	bool ends;         /* its stream has an end marker */
};

static void run_sleeper(int line, void *context)
{
	const struct sleeper *sleeper = context;
	static struct reader reader;
	char path[128];
	uint64_t events;

	promise_hear(line);
	promise_path(getppid(), path);
	if (!reader_open(&reader, path))
		promise_abort("it cannot connect");
	reader.on_event = count;
	reader_until_header(&reader);
	reader_subscribe_all(&reader, sleeper->flags, 1);
	if (!reader_until_acknowledged(&reader, 1))
		promise_abort("no answer");
	promise_say(line, 's');
	promise_hear(line);
	promise_sleep_ms(sleeper->after_ms);
	if (sleeper->ends)
		promise_read_end(&reader);
	else
		reader_until_end(&reader);
	promise_expect(reader.ended == sleeper->ends,
		sleeper->ends ? "a client that reads in time has no end marker"
			      : "a client that never reads has an end marker");
	events = received + reader_lost(&reader);
	ssize_t told = write(line, &events, sizeof(events));
	(void)told; /* nobody may want to know */
	promise_expect(
		!(sleeper->flags & WIRE_LOSSLESS) || strstr(reader.message, "no longer lossless"),
		"a client is not told that delivery is no longer lossless: %s", reader.message);
}

static struct promise_partner begin_sleeper(const struct sleeper *sleeper)
{
	struct promise_partner partner = promise_begin(run_sleeper, (void *)(uintptr_t)sleeper);

	promise_say(partner.line, 'c');
	if (promise_hear(partner.line) != 's')
		promise_abort("a client cannot subscribe");
	return partner;
}

static uint64_t events_of(struct promise_partner *partner)
{
	uint64_t events = 0;

	for (size_t at = 0; at < sizeof(events);) {
		ssize_t got = read(partner->line, (char *)&events + at, sizeof(events) - at);
		if (got <= 0)
			break;
		at += (size_t)got;
	}
	return events;
}

static void fill(unsigned events)
{
	static char text[400];

	memset(text, 'x', sizeof(text) - 1);
	for (unsigned i = 0; i < events; i++) {
		VMTAP_USER_MSG(0, text);
		fired++;
	}
}

/* So that it is the client's queue that is full, not only the ring. */
static void fill_queue(void)
{
	for (unsigned i = 0; i < FILLING / 1000; i++) {
		fill(1000);
		promise_sleep_ms(2);
	}
}

/* One that does not read is waited for as long as the options say, and no longer; one that reads
 * in that time gets everything. */
void promise_flush(void)
{
	static const struct sleeper never = {.after_ms = FLUSH_MS * 4},
				    late = {.after_ms = FLUSH_MS / 4, .ends = true};
	const struct vmtap_options options = {
		.size = sizeof(options), .queue_bytes = 1 << 20, .flush_ms = FLUSH_MS};

	vmtap_start(&options);
	struct promise_partner client = begin_sleeper(&never);
	fill_queue();
	promise_say(client.line, 'r');
	uint64_t before = promise_now();
	vmtap_stop();
	uint64_t waited = (promise_now() - before) / MS;
	promise_expect(waited >= FLUSH_MS - 20, "vmtap_stop() waits for %lu ms only, not %d",
		(unsigned long)waited, FLUSH_MS);
	promise_expect(waited < 3 * FLUSH_MS, "vmtap_stop() waits for %lu ms, not %d",
		(unsigned long)waited, FLUSH_MS);
	promise_end(&client);
	fired = 0;
	vmtap_start(&options);
	client = begin_sleeper(&late);
	fill_queue();
	promise_say(client.line, 'r');
	before = promise_now();
	vmtap_stop();
	waited = (promise_now() - before) / MS;
	uint64_t events = events_of(&client);
	promise_expect(events == fired, "fired %lu, delivered or told as lost %lu",
		(unsigned long)fired, (unsigned long)events);
	promise_end(&client);
}

/* ---- how long threads wait ---- */

enum { LOSSLESS_MS = 600 };
#define LIMIT_NS UINT64_C(20000000000)

static uint64_t longest_ms;

static void fill_and_wait(unsigned events)
{
	uint64_t before;

	for (unsigned i = 0; i < events; i++) {
		before = promise_now();
		fill(1);
		if ((promise_now() - before) / MS > longest_ms)
			longest_ms = (promise_now() - before) / MS;
	}
}

static void expect_lossless(struct reader *reader)
{
	promise_expect(!reader_lost(reader), "%lu events are lost of a client that reads",
		(unsigned long)reader_lost(reader));
	promise_expect(!strstr(reader->message, "no longer lossless"),
		"a client that reads slowly is taken for one that does not");
}

void promise_lossless(void)
{
	static const struct sleeper stalled = {
		.flags = WIRE_LOSSLESS, .after_ms = 100, .ends = true};
	static const struct promise_client slow = {
		.flags = WIRE_LOSSLESS, .pause_us = 50000, .at_end = expect_lossless};
	const struct vmtap_options options = {.size = sizeof(options),
					   .ring_bytes = 1,
					   .queue_bytes = 1 << 18,
					   .lossless_ms = LOSSLESS_MS},
				   slowly = {.size = sizeof(slowly),
					   .ring_bytes = 1,
					   .queue_bytes = 1 << 20,
					   .lossless_ms = LOSSLESS_MS},
				   refusing = {.size = sizeof(refusing), .lossless_ms = -1};
	struct reader reader;
	char path[128];

	vmtap_start(&options);
	struct promise_partner client = begin_sleeper(&stalled);
	fill_and_wait(FILLING);
	promise_expect(longest_ms >= LOSSLESS_MS - 50, "threads wait for %lu ms only, not %d",
		(unsigned long)longest_ms, LOSSLESS_MS);
	promise_expect(longest_ms < 3 * LOSSLESS_MS, "a thread waits for %lu ms, not %d",
		(unsigned long)longest_ms, LOSSLESS_MS);
	promise_say(client.line, 'r');
	vmtap_stop();
	uint64_t events = events_of(&client);
	promise_expect(events == fired, "fired %lu, delivered or told as lost %lu",
		(unsigned long)fired, (unsigned long)events);
	promise_end(&client);

	/* It takes so little at a time that threads wait for longer than lossless_ms. */
	vmtap_start(&slowly);
	client = promise_connect(&slow);
	longest_ms = 0;
	for (uint64_t end = promise_now() + LIMIT_NS;
		longest_ms < 3 * LOSSLESS_MS / 2 && promise_now() < end;)
		fill_and_wait(1);
	promise_expect(longest_ms >= 3 * LOSSLESS_MS / 2, "no thread waits for a slow client");
	promise_say(client.line, 'x');
	vmtap_stop();
	promise_end(&client);

	vmtap_start(&refusing);
	promise_path(getpid(), path);
	promise_expect(
		reader_start(&reader, path, WIRE_LOSSLESS) && !(reader.flags & WIRE_LOSSLESS),
		"a client is not told that it is refused lossless delivery");
	reader_finish(&reader);
	reader_close(&reader);
	vmtap_stop();
}

/* ---- the most clients there may be ---- */

static void touch(struct reader *reader)
{
	static const unsigned char latency[] = WIRE_LATENCY "\0\0\0\0\0\1\0\0"; /* and one more 0 */

	reader_send(reader, latency, sizeof(latency));
}

/* While all are used, a further client is told so, soon. A client that asks for nothing uses its
 * place only for a moment, whatever bytes it sends. */
void promise_busy(void)
{
	enum { OFTEN_MS = 100, RARELY_MS = 800, SOON = 50, HALF = 17 };
	static struct reader readers[CLIENTS_MAX], next, other;
	struct pollfd polled = {.events = POLLIN};
	uint64_t before, longest = 0;
	unsigned rounds = 0;
	char path[128];

	setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 1024});
	vmtap_start(NULL);
	promise_path(getpid(), path);
	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		while (!reader_open(&readers[i], path))
			promise_sleep_ms(1);
		if (!reader_until_header(&readers[i]))
			promise_abort("client %u: %s", i, readers[i].error);
	}
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		touch(&readers[i]);
	if (!reader_open(&next, path))
		promise_abort("a client cannot connect");
	polled.fd = next.socket;
	before = promise_now();
	while (rounds++ < SOON && poll(&polled, 1, OFTEN_MS) == 0) {
		for (unsigned i = 0; i < CLIENTS_MAX; i++)
			touch(&readers[i]);
		if ((promise_now() - before) / MS > longest) /* the machine is busy */
			longest = (promise_now() - before) / MS;
		before = promise_now();
	}
	reader_subscribe_all(&next, 0, 1);
	promise_expect(longest >= RARELY_MS || !reader_until_acknowledged(&next, 1),
		"a client is served in the place of one that is not idle");
	if (longest < RARELY_MS)
		promise_expect(strstr(next.message, "64 clients are connected"),
			"a client without a place is not told why: %s %s", next.message,
			next.error);
	for (unsigned i = 0; i < CLIENTS_MAX && longest < RARELY_MS; i++) {
		reader_subscribe_all(&readers[i], 0, 1);
		promise_expect(reader_until_acknowledged(&readers[i], 1),
			"client %u, which was not idle, is not served any more: %s", i,
			readers[i].error);
	}
	/* one leaves, and another takes its place that never completes a request */
	reader_close(&readers[HALF]);
	if (!reader_open_plain(&other, path))
		promise_abort("a client cannot connect");
	reader_send(&other, WIRE_SUBSCRIBE, 1); /* before it is taken for a plain reader */
	if (!reader_until_header(&other))
		promise_abort("a client does not get a free place: %s", other.error);
	if (!reader_open(&readers[HALF], path))
		promise_abort("a client cannot connect");
	polled.fd = readers[HALF].socket;
	for (rounds = 0; rounds < SOON && poll(&polled, 1, OFTEN_MS) == 0; rounds++) {
		reader_send(&other, WIRE_SUBSCRIBE, 1);
		for (unsigned i = 0; i < CLIENTS_MAX; i++)
			if (i != HALF)
				touch(&readers[i]);
	}
	promise_expect(reader_until_header(&readers[HALF]) && !*readers[HALF].message,
		"a client gets no place, though another has it without asking for anything: %s %s",
		readers[HALF].error, readers[HALF].message);
	promise_read_end(&other);
	promise_expect(strstr(other.message, "no whole request"),
		"the client that leaves is not told why: %s", other.message);
	vmtap_stop();
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		reader_close(&readers[i]);
	reader_close(&next);
	reader_close(&other);
}

/* Only the client that was idle for longest is closed for the next one, with a message. */
void promise_eviction(void)
{
	enum { IDLE = 17 };
	static struct reader readers[CLIENTS_MAX], next;
	char path[128];

	setrlimit(RLIMIT_NOFILE, &(struct rlimit){1024, 1024});
	vmtap_start(NULL);
	promise_path(getpid(), path);
	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		while (!reader_open(&readers[i], path))
			promise_sleep_ms(1);
		if (!reader_until_header(&readers[i]))
			promise_abort("client %u: %s", i, readers[i].error);
	}
	promise_sleep_ms(50);
	for (unsigned i = 0; i < CLIENTS_MAX; i++)
		if (i != IDLE)
			touch(&readers[i]);
	promise_sleep_ms(1200); /* all were idle for long enough; this one for longest */
	if (!reader_open(&next, path) || !reader_until_header(&next))
		promise_abort("the client that comes is not served: %s", next.error);
	reader_subscribe_all(&next, 0, 1);
	promise_expect(reader_until_acknowledged(&next, 1),
		"the client that comes is not served: %s", next.error);
	readers[IDLE].plain = true;
	promise_read_end(&readers[IDLE]);
	promise_expect(strstr(readers[IDLE].message, "idle"),
		"the client that leaves is not told why: %s", readers[IDLE].message);
	for (unsigned i = 0; i < CLIENTS_MAX; i++) {
		if (i == IDLE)
			continue;
		reader_subscribe_all(&readers[i], 0, 1);
		promise_expect(reader_until_acknowledged(&readers[i], 1),
			"client %u, which was not idle, is not served any more: %s", i,
			readers[i].error);
		reader_close(&readers[i]);
	}
	vmtap_stop();
	reader_close(&next);
	reader_close(&readers[IDLE]);
}

/* ---- the end ---- */

static _Atomic bool fires;

static void *fire_on(void *unused)
{
	while (fires) {
		VMTAP_GC_IDLE(0);
		VMTAP_USER_MSG(0, "a text");
	}
	return unused;
}

/* Nothing follows the end marker, whatever is fired meanwhile; nor is anything missing. */
void promise_end_marker(void)
{
	struct reader reader;
	pthread_t threads[2];
	char path[128], log[128];

	promise_path(getpid(), path);
	snprintf(log, sizeof(log), "%s/log", promise_folder);
	fires = true;
	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, fire_on, NULL))
			promise_abort("no thread");
	vmtap_start(NULL);
	for (unsigned i = 0; i < 30; i++) { /* the client asks for the end */
		if (!reader_start(&reader, path, i % 2 ? WIRE_LOSSLESS : 0))
			promise_abort("no stream: %s", reader.error);
		reader_finish(&reader);
		promise_read_end(&reader);
		reader_close(&reader);
	}
	vmtap_stop();
	for (unsigned i = 0; i < 10; i++) { /* the program ends the stream */
		static const struct promise_client client = {.flags = 0};
		if (i == 5)
			setenv("VMTAP_LOG", log, 1);
		vmtap_start(NULL);
		struct promise_partner partner = promise_connect(&client);
		promise_sleep_ms(3);
		vmtap_stop();
		promise_end(&partner);
	}
	fires = false;
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (!reader_open_file(&reader, log))
		promise_abort("no log");
	promise_read_end(&reader);
	reader_close(&reader);
}

/* ---- memory ---- */

enum {
	MEMORY = 24 << 20,
	APART_KB = 1024, /* the thread's stack, static data, what malloc() keeps */
	STALLED = 6,
	FIRING = 400, /* more than the limit has room for the smallest rings of */
	LATER = 80
};

static pthread_barrier_t ready, done;

static void *fire_much(void *unused)
{
	static struct vmtap_name name = VMTAP_NAME("a name");

	pthread_barrier_wait(&ready);
	for (unsigned i = 0; i < 5000; i++) {
		VMTAP_USER_MSG(
			0, "a text that is somewhat longer than most texts of this kind are");
		VMTAP_PAUSE_BEGIN(0, &name);
	}
	pthread_barrier_wait(&done);
	pthread_barrier_wait(&done);
	return unused;
}

static void stall(int line, void *context)
{
	struct reader reader;
	char path[128];

	(void)context;
	promise_hear(line);
	promise_path(getppid(), path);
	/* at the limit a client may be refused, in order */
	if (reader_open(&reader, path) && reader_until_header(&reader)) {
		reader_subscribe_all(&reader, 0, 1);
		reader_until_acknowledged(&reader, 1);
	}
	promise_say(line, 's');
	promise_hear(line);
}

/* All that the library maps stays within the options' limit, with clients that do not read and
 * threads that fire; when they have left, others find as much as they did. */
void promise_memory(void)
{
	const struct vmtap_options options = {.size = sizeof(options),
		.memory_bytes = MEMORY,
		.ring_bytes = 1 << 20,
		.queue_bytes = 8 << 20};
	static pthread_t threads[FIRING];
	static struct promise_partner clients[STALLED];
	pthread_attr_t attributes;

	mallopt(M_ARENA_MAX, 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 64 << 10);
	pthread_barrier_init(&ready, NULL, FIRING + 1);
	pthread_barrier_init(&done, NULL, FIRING + 1);
	for (unsigned i = 0; i < FIRING; i++)
		if (pthread_create(&threads[i], &attributes, fire_much, NULL))
			promise_abort("no thread");
	for (unsigned i = 0; i < STALLED; i++)
		clients[i] = promise_begin(stall, NULL);
	long long before = promise_status("self", "VmSize", 10);
	vmtap_start(&options);
	for (unsigned i = 0; i < STALLED; i++) {
		promise_say(clients[i].line, 'c');
		promise_hear(clients[i].line);
	}
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&done);
	long long most = promise_status("self", "VmPeak", 10) - before;
	promise_expect(most <= (MEMORY >> 10) + APART_KB,
		"the library takes %lld KB, and the limit is %d KB", most, MEMORY >> 10);
	promise_expect(
		most > MEMORY >> 12, "the library takes %lld KB only: no memory is needed", most);
	for (unsigned i = 0; i < STALLED; i++)
		promise_end(&clients[i]);
	pthread_barrier_wait(&done);
	for (unsigned i = 0; i < FIRING; i++)
		pthread_join(threads[i], NULL);
	/* What clients and threads have had is given back, and not only to the system. */
	for (unsigned i = 0; i < LATER; i++) {
		struct reader reader;
		char path[128];
		promise_path(getpid(), path);
		if (!reader_start(&reader, path, 0))
			promise_abort(
				"client %u is not served: %s %s", i, reader.error, reader.message);
		VMTAP_GC_IDLE(0);
		reader_close(&reader);
	}
	vmtap_stop();
	long long left = promise_status("self", "VmSize", 10) - before;
	promise_expect(left <= 20 << 10, "%lld KB are left of what the library took", left);
	pthread_attr_destroy(&attributes);
}

/* ---- how much memory it takes unless it is told ---- */

/* An eighth of what this process can have. */
static void check_default_memory(uint64_t limit, const char *set_by)
{
	enum { MESSAGES = 200000 };
	static struct promise_partner clients[STALLED];
	long long before, most, eighth = (long long)(limit / 8 >> 10);

	for (unsigned i = 0; i < STALLED; i++)
		clients[i] = promise_begin(stall, NULL);
	before = promise_status("self", "VmSize", 10);
	vmtap_start(NULL);
	for (unsigned i = 0; i < STALLED; i++) {
		promise_say(clients[i].line, 'c');
		promise_hear(clients[i].line);
	}
	for (unsigned i = 0; i < MESSAGES / 1000; i++) {
		fill(1000);
		promise_sleep_ms(1);
	}
	most = promise_status("self", "VmPeak", 10) - before;
	promise_expect(most <= eighth + APART_KB,
		"%s: the library takes %lld KB, and an eighth of the limit is %lld KB", set_by,
		most, eighth);
	promise_expect(most > eighth / 4, "%s: the library takes %lld KB only: no memory is needed",
		set_by, most);
	for (unsigned i = 0; i < STALLED; i++)
		promise_end(&clients[i]);
	vmtap_stop();
}

static bool put(const char *folder, const char *file, const char *text)
{
	char path[400];
	bool done;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	FILE *stream = fopen(path, "we");
	if (!stream)
		return false;
	done = fputs(text, stream) >= 0;
	return !fclose(stream) && done;
}

/* Makes a control group with this limit, inside this process's own if that can be seen. */
static bool make_group(char folder[300], const char *limit)
{
	static const struct {
		const char *lines, *place, *file;
	} kinds[] = {{":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
		{"0::", "/sys/fs/cgroup", "memory.max"}};
	char line[300] = "", inside[200];
	const char *at;

	for (unsigned i = 0; i < 4; i++) {
		FILE *groups = fopen("/proc/self/cgroup", "re");
		*inside = '\0';
		while (i % 2 == 0 && groups && fgets(line, sizeof(line), groups))
			if ((at = strstr(line, kinds[i / 2].lines)))
				snprintf(inside, sizeof(inside), "%.*s",
					(int)strcspn(at + strlen(kinds[i / 2].lines), "\n"),
					at + strlen(kinds[i / 2].lines));
		if (groups)
			fclose(groups);
		snprintf(folder, 300, "%s%s/promise-%d", kinds[i / 2].place, inside, (int)getpid());
		if (mkdir(folder, 0755))
			continue;
		if (put(folder, kinds[i / 2].file, limit))
			return true;
		rmdir(folder);
	}
	return false;
}

void promise_default_memory(void)
{
	enum { SPACE = 256 << 20, GROUP = 128 << 20 };
	char folder[300], text[20];
	int status = 0;

	mallopt(M_ARENA_MAX, 1);
	snprintf(text, sizeof(text), "%d", GROUP);
	if (make_group(folder, text)) {
		pid_t process = fork();
		if (!process) {
			snprintf(text, sizeof(text), "%d", (int)getpid());
			if (!put(folder, "cgroup.procs", text))
				promise_abort("a control group cannot be entered");
			check_default_memory(GROUP, "a control group");
			_exit(0);
		}
		waitpid(process, &status, 0);
		promise_expect(status == 0, "in a control group the VM ends with %#x", status);
		rmdir(folder);
	} else {
		puts("default-memory: no control group can be made here, so none is tried");
		fflush(stdout);
	}
	setrlimit(RLIMIT_AS, &(struct rlimit){SPACE, RLIM_INFINITY});
	check_default_memory(SPACE, "RLIMIT_AS");
}

/* ---- when nothing happens ---- */

static void measure(const char *when, unsigned wakes_max)
{
	struct rusage before, after;

	/* Only the library's thread runs: this one sleeps once. */
	promise_sleep_ms(100);
	getrusage(RUSAGE_SELF, &before);
	promise_sleep_ms(1000);
	getrusage(RUSAGE_SELF, &after);
	long wakes = after.ru_nvcsw - before.ru_nvcsw;
	promise_expect(
		wakes <= (long)wakes_max, "%s, the process wakes %ld times a second", when, wakes);
}

/* The library's thread does not run without a reason. */
void promise_idle(void)
{
	static const struct promise_client client = {.flags = 0};

	vmtap_start(NULL);
	measure("without a client", 3);
	struct promise_partner partner = promise_connect(&client);
	measure("with a client, and no event", 70);
	vmtap_stop();
	promise_end(&partner);
}
