/*
 * promise.h: what the scenarios of promises.c share. Each scenario runs in a process of its own,
 * which is the VM unless the scenario says otherwise; clients are processes, too, so that the VM's
 * descriptors, memory and threads are only its own and the library's.
 */
#ifndef TESTS_SURVIVE_PROMISE_H
#define TESTS_SURVIVE_PROMISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/reader.h"
#include "vmtap.h"

/* Counts a check. If the condition is false, says that the promise is broken; the scenario goes on.
 */
#define promise_expect(condition, ...) promise_check((condition), __VA_ARGS__)
__attribute__((format(printf, 2, 3))) void promise_check(bool holds, const char *format, ...);

/* For what the scenario itself needs: the scenario ends as broken. */
__attribute__((noreturn, format(printf, 1, 2))) void promise_abort(const char *format, ...);

/* The folder of this scenario, which is also $XDG_RUNTIME_DIR, and where a process's socket is. */
extern char promise_folder[64];
void promise_path(pid_t process, char path[128]);

/* Another process, and a line to it. The line ends when either process does. */
struct promise_partner {
	pid_t process;
	int line;
};

/* Starts a process that runs this function with its end of the line. */
struct promise_partner promise_begin(void (*run)(int line, void *context), void *context);
/* One character to the other process, and from it; 0: it has ended. */
void promise_say(int line, char word);
char promise_hear(int line);
/* Waits for the process; it must have exited with status 0. */
void promise_end(struct promise_partner *partner);

/* A client of the process that begins it: subscribes to all probes with these flags. */
struct promise_client {
	uint8_t flags;
	unsigned pause_us; /* between two reads of a little; 0: it reads all at once */
	void (*on_event)(struct reader *reader, const struct reader_event *event);
	void (*at_end)(struct reader *reader);
	bool cut;     /* its stream need not end in order */
	bool samples; /* it asks for samples and for a dump of all threads, too */
};

/* The client waits for the VM, which must have been started with the default socket, and returns
 * once it has subscribed. */
struct promise_partner promise_connect(const struct promise_client *client);
/* For a client that is to connect later: promise_begin() with this function. It begins at the first
 * character that it hears, and says one when it has subscribed. */
void promise_run_client(int line, void *client);
/* Reads until the stream has ended, and expects that nothing follows the end marker. */
void promise_read_end(struct reader *reader);

uint64_t promise_now(void);
void promise_sleep_ms(unsigned ms);
/* The value of a line of /proc/PROCESS/status, as a number in this base; -1: there is none. */
long long promise_status(const char *task, const char *key, int base);

void promise_caller(void);
void promise_cancel(void);
void promise_stack(void);
void promise_descriptors(void);
void promise_refused(void);
void promise_access(void);
void promise_strangers(void);
void promise_fork(void);
void promise_children(void);
void promise_stamps(void);
void promise_flush(void);
void promise_lossless(void);
void promise_eviction(void);
void promise_busy(void);
void promise_end_marker(void);
void promise_memory(void);
void promise_default_memory(void);
void promise_idle(void);

#endif
