/*
 * reader.h: a small reader of a VM's event stream, for tests. It knows the wire format from
 * wire.h alone and shares no code with src/source, so that each is a witness for the other.
 *
 * It checks what the format promises as it reads: sizes of blocks, times that never fall
 * below a watermark and never run backwards within an OS thread, names defined before they
 * are used. The first broken promise ends reading with the reason in reader.error.
 *
 * Probes are numbered as in the stream's header, which is the contract's order, hence also
 * enum vmtap_probe.
 */
#ifndef TESTS_SHIM_READER_H
#define TESTS_SHIM_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	READER_PROBES = 128,
	READER_ARGUMENTS = 12,
	READER_TYPES = 512,
	READER_WAIT_MS = 60000 /* for a byte; then the test has failed */
};

struct reader_argument {
	uint64_t value;   /* sign-extended if the type is signed; a name's id */
	const char *text; /* of a name or an inline text, NUL-terminated; else NULL */
	size_t length;
};

struct reader_event {
	unsigned probe;
	uint64_t time; /* ns since the stream's zero */
	uint16_t cap;
	uint64_t thread; /* OS thread */
	uint32_t cpu;
	uint64_t cpu_time; /* if it was asked for */
	unsigned count;
	struct reader_argument arguments[READER_ARGUMENTS];
};

struct reader_type {
	bool declared;
	uint16_t size;
	int probe; /* -1: none */
};

struct reader_parameter {
	uint8_t size; /* 0: inline text */
	bool is_signed, is_name, is_cap;
};

struct reader_probe {
	char name[64];
	uint16_t type;
	unsigned count;
	struct reader_parameter parameters[READER_ARGUMENTS];
	uint64_t received, lost;
};

struct reader {
	int socket;
	char error[256]; /* "" as long as all is well */
	unsigned char *bytes;
	size_t length, capacity, at;
	uint64_t taken; /* bytes that have come */
	bool header_done, ended, closed;
	size_t piece; /* at most so many bytes are read and sent at once; 0: any number */
	bool plain;   /* takes events that no answer to a subscription has preceded */
	struct reader_type types[READER_TYPES];
	struct reader_probe probes[READER_PROBES];
	unsigned probe_count;
	char **names;
	uint32_t name_room;
	uint64_t names_defined; /* how often a name was defined */
	uint64_t zero;          /* CLOCK_MONOTONIC at time 0 */
	uint32_t pid;
	char runtime[64];
	bool acknowledged;
	uint32_t tag;     /* the last acknowledged */
	uint64_t answers; /* acknowledgements so far */
	uint64_t watermark;
	_Atomic uint64_t watermarks; /* how many came; any thread may look */
	size_t block_end;            /* position, 0: none open */
	uint64_t block_time;
	uint64_t run_time; /* of the last event of a thread's run: times go forwards in it */
	uint16_t cap;
	uint64_t thread;
	uint32_t cpu;
	struct {
		uint64_t thread, time;
	} * threads; /* the last event of each OS thread */
	size_t thread_count;
	struct {
		bool begun, open; /* amid a sample */
		uint32_t by;
		uint64_t period, era, samples, lost;
	} heap;
	/* A label of a sample of the heap; its end, with label NULL. */
	void (*on_band)(struct reader *reader, const char *label, uint64_t bytes);
	uint64_t events;
	uint64_t cpu_time, cpu_times; /* the last WIRE_CPU_TIME, and how many */
	uint64_t ghc_events[400];     /* by GHC's event type, whether they carry a probe or not */
	uint64_t own_events;          /* of vmtap's types */
	uint64_t environment;         /* entries of PROGRAM_ENV */
	char message[256];            /* the last LOG_MSG */
	uint16_t *stop_statuses;      /* where to keep those of GHC's STOP_THREAD, if anywhere */
	unsigned stop_room, stop_count;
	void (*on_event)(struct reader *reader, const struct reader_event *event);
	void *context;
};

/* Reads a recorded file instead. */
bool reader_open_file(struct reader *reader, const char *path);

/* Connects, and says that it will subscribe; plain: says nothing, as GHC's readers do. False
 * with errno set when that fails. */
bool reader_open(struct reader *reader, const char *path);
bool reader_open_plain(struct reader *reader, const char *path);
void reader_close(struct reader *reader);

/* Subscribes to these probes; replaces what was before. all: to every probe. */
void reader_subscribe(
	struct reader *reader, uint8_t flags, uint32_t tag, const unsigned *probes, unsigned count);
void reader_subscribe_all(struct reader *reader, uint8_t flags, uint32_t tag);

/* Sends raw bytes. */
bool reader_send(struct reader *reader, const void *bytes, size_t length);

/* Reads until the header, the acknowledgement of the tag, a watermark of at least this
 * CLOCK_MONOTONIC time, the end marker. False when the stream or the format fails first. */
bool reader_until_header(struct reader *reader);
bool reader_until_acknowledged(struct reader *reader, uint32_t tag);
bool reader_until_time(struct reader *reader, uint64_t monotonic);
bool reader_until_samples(struct reader *reader, uint64_t samples); /* in all */
bool reader_until_end(struct reader *reader);

/* One read of whatever comes, at most this long; false when the stream has ended. */
bool reader_step(struct reader *reader, int wait_ms);

/* Opens, subscribes to all probes and waits for the acknowledgement. */
bool reader_start(struct reader *reader, const char *path, uint8_t flags);

/* Asks for the end and reads to it. */
bool reader_finish(struct reader *reader);

uint64_t reader_received(const struct reader *reader);
uint64_t reader_lost(const struct reader *reader);

/* The index of a probe by its name, or -1. */
int reader_probe(const struct reader *reader, const char *name);

uint64_t reader_now(void);

#endif
