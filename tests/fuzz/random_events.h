/*
 * random_events.h: random events of a VM, as a recorded log and as the stream that the VM would
 * have sent. Both carry the same events; the stream leaves out the strings that the client did not
 * ask for, as libvmtap does.
 */
#ifndef TESTS_FUZZ_RANDOM_EVENTS_H
#define TESTS_FUZZ_RANDOM_EVENTS_H

#include <stdint.h>

enum { RANDOM_EVENTS_START = 1000000, RANDOM_EVENTS_LENGTH = 4000000 }; /* ns */

/* Starts the thread that serves the stream. 0 or a negative errno. */
int random_events_start(void);

/* Replaces the log's and the stream's events by those of a seed. 0 or a negative errno. */
int random_events_make(uint64_t seed);

/* The log's file and the stream's socket; valid until random_events_stop(). */
const char *random_events_log(void);
const char *random_events_socket(void);

void random_events_stop(void);

#endif
