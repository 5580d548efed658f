/*
 * reader.h: a small reader of a VM's event stream, for tests. It knows the wire format only from
 * wire.h and shares no code with src/source, so that each is an independent check of the other.
 *
 * While it reads, it checks what the format promises: sizes of blocks, times that are never
 * below a watermark and never run backwards within an OS thread, names defined before they
 * are used. At the first broken promise it stops, with the reason in reader.error.
 *
 * Probes are numbered as in the stream's header. That is the contract's order, and so also that
 * of enum vmtap_probe.
 */
#ifndef TESTS_SHIM_READER_H
#define TESTS_SHIM_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	READER_PROBES = 512,
	READER_ARGUMENTS = 12,
	READER_TYPES = 1024,
	READER_FRAMES = 128,
	READER_WAIT_MS = 60000 /* without a byte, after which the test fails */
};

struct reader_argument {
	uint64_t value;   /* sign-extended if the type is signed; a name's id */
	const char *text; /* of a name or an inline text, NUL-terminated; else NULL */
	size_t length;
};

struct reader_frame {
	const char *class, *method, *file;
	uint32_t line;
};

/* A guest stack. */
struct reader_stack {
	unsigned count, cut;
	struct reader_frame frames[READER_FRAMES];
};

struct reader_event {
	unsigned probe;
	uint64_t time; /* ns since the stream's zero */
	uint16_t cap;
	uint64_t thread; /* OS thread */
	uint32_t cpu;
	uint64_t cpu_time;                /* if requested */
	const struct reader_stack *stack; /* NULL: none */
	unsigned count;
	struct reader_argument arguments[READER_ARGUMENTS];
};

struct reader_type {
	bool declared, is_spare;
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
	char error[256]; /* "" if there is none */
	unsigned char *bytes;
	size_t length, capacity, at;
	uint64_t taken; /* bytes received */
	bool header_done, ended, closed;
	size_t piece; /* most bytes to read or send at once; 0: any number */
	bool plain;   /* accepts events before the answer to a subscription */
	struct reader_type types[READER_TYPES];
	struct reader_probe probes[READER_PROBES];
	unsigned probe_count;
	char **names;
	uint32_t name_room;
	uint64_t names_defined; /* how often a name was defined */
	uint64_t zero;          /* CLOCK_MONOTONIC at time 0 */
	uint32_t pid;
	uint32_t parent;
	char runtime[64];
	bool acknowledged;
	uint32_t tag; /* the last acknowledged, and its flags */
	uint8_t flags;
	uint64_t answers; /* acknowledgements so far */
	uint64_t watermark;
	_Atomic uint64_t watermarks; /* how many have come; any thread may read it */
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
		bool begun, open, has_label; /* open: within a sample */
		uint32_t by;
		uint64_t period, era, samples, lost, objects;
	} heap;
	/* Called for each label of a heap sample, and with label NULL at its end. */
	void (*on_band)(struct reader *reader, const char *label, uint64_t bytes);
	uint64_t events;
	uint64_t cpu_time, cpu_times; /* the last WIRE_CPU_TIME, and how many */
	struct reader_stack stack;    /* the last WIRE_STACK, of the next event if has_stack */
	bool has_stack;
	uint64_t stacks;
	uint64_t ghc_events[400]; /* by GHC's event type, whether they carry a probe or not */
	uint64_t own_events;      /* events of vmtap's types */
	uint64_t unknown_lost;    /* events of types that the header does not declare */
	uint64_t declarations;    /* of spare types */
	uint64_t environment;     /* entries of PROGRAM_ENV */
	char message[256];        /* the last LOG_MSG */
	uint8_t sampled_unit, sampled_timers; /* of the last WIRE_SAMPLED */
	uint16_t *stop_statuses; /* where to keep those of GHC's STOP_THREAD, if anywhere */
	unsigned stop_room, stop_count;
	void (*on_event)(struct reader *reader, const struct reader_event *event);
	void *context;
};

/* Reads a recorded file instead. */
bool reader_open_file(struct reader *reader, const char *path);

/* Connects, and tells the VM that a subscription will follow. The plain variant sends nothing, as
 * GHC's readers do. Returns false, with errno set, if that fails. */
bool reader_open(struct reader *reader, const char *path);
bool reader_open_plain(struct reader *reader, const char *path);
void reader_close(struct reader *reader);

/* Subscribes to these probes, replacing an earlier subscription. all: to every probe. */
void reader_subscribe(
	struct reader *reader, uint8_t flags, uint32_t tag, const unsigned *probes, unsigned count);
void reader_subscribe_all(struct reader *reader, uint8_t flags, uint32_t tag);

/* The same by names, separated by blanks, "vm:::gc-idle" or "*"; strings: the arguments whose
 * strings are wanted. */
void reader_subscribe_names(
	struct reader *reader, uint8_t flags, uint32_t tag, const char *names, uint16_t strings);

/* The probe of a name with so many arguments; NULL: the stream has described none so far. */
const struct reader_probe *reader_version(
	const struct reader *reader, const char *name, unsigned count);

/* Sends raw bytes. */
bool reader_send(struct reader *reader, const void *bytes, size_t length);

/* Read until the header, the acknowledgement of the tag, a watermark of at least this
 * CLOCK_MONOTONIC time, or the end marker. False if the stream ends or is malformed first. */
bool reader_until_header(struct reader *reader);
bool reader_until_acknowledged(struct reader *reader, uint32_t tag);
bool reader_until_time(struct reader *reader, uint64_t monotonic);
bool reader_until_samples(struct reader *reader, uint64_t samples); /* in all */
bool reader_until_end(struct reader *reader);

/* Reads once, waiting at most this long; false if the stream has ended. */
bool reader_step(struct reader *reader, int wait_ms);

/* Opens, subscribes to all probes and waits for the acknowledgement. */
bool reader_start(struct reader *reader, const char *path, uint8_t flags);

/* Asks the VM to end the stream, and reads to its end. */
bool reader_finish(struct reader *reader);

uint64_t reader_received(const struct reader *reader);
uint64_t reader_lost(const struct reader *reader);

/* The index of a probe by its name, or -1. */
int reader_probe(const struct reader *reader, const char *name);

uint64_t reader_now(void);

#endif
