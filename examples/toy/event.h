/*
 * event.h: what the VM reports about itself: its counters, its event log, its probes.
 *
 * The VM calls EVENT(cap, NAME, arguments...) where something happens. It counts the event,
 * records it for --event-log or --stats-by, and fires the probe VMTAP_<NAME>. Counting and
 * recording do not depend on the probe's guard, so that tests can compare tracers with them.
 * The arguments are evaluated only if the event is recorded or the guard is open, so they
 * may be expensive. Their C types must be those of the probe in vm.d.
 */
#ifndef TOY_EVENT_H
#define TOY_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <vmtap.h>

#include "sampling.h"

struct capability;
struct event_recorder;
struct process;

/*
 * X(macro, name, types, key, sum). types has a letter per argument: u unsigned up to 32
 * bits, U 64 bits, i int, l long, n a name, t a text. key lists the numbers of the arguments
 * by which --stats-by counts, sum gives the number of the one that it adds up ("" for none).
 */
/* clang-format off */
#define EVENTS(X) \
	X(STARTUP, "startup", "u", "", "") \
	X(SHUTDOWN, "shutdown", "u", "", "") \
	X(USER_MSG, "user-msg", "ut", "1", "") \
	X(THREAD_CREATE, "thread-create", "uuU", "1", "") \
	X(THREAD_LABEL, "thread-label", "uut", "12", "") \
	X(THREAD_EXIT, "thread-exit", "uu", "1", "") \
	X(THREAD_RUN, "thread-run", "uu", "1", "") \
	X(THREAD_RUNNABLE, "thread-runnable", "uu", "1", "") \
	X(THREAD_STOP, "thread-stop", "uuuu", "12", "") \
	X(THREAD_MIGRATE, "thread-migrate", "uuu", "1", "") \
	X(THREAD_WAKEUP, "thread-wakeup", "uuu", "1", "") \
	X(LOCK_WAIT, "lock-wait", "uuUn", "3", "") \
	X(LOCK_ACQUIRED, "lock-acquired", "uuUn", "3", "") \
	X(SPARK_RUN, "spark-run", "uu", "0", "") \
	X(SPARK_STEAL, "spark-steal", "uuu", "02", "") \
	X(SPARK_THREAD_CREATE, "spark-thread-create", "uu", "1", "") \
	X(PAUSE_BEGIN, "pause-begin", "un", "1", "") \
	X(PAUSE_END, "pause-end", "un", "1", "") \
	X(GC_REQUEST, "gc-request", "uu", "1", "") \
	X(GC_START, "gc-start", "uuuUnU", "124", "3") \
	X(GC_END, "gc-end", "uuuUnU", "124", "3") \
	X(GC_IDLE, "gc-idle", "u", "0", "") \
	X(GC_WORK, "gc-work", "u", "0", "") \
	X(GC_DONE, "gc-done", "u", "0", "") \
	X(GC_MARK_BEGIN, "gc-mark-begin", "u", "", "") \
	X(GC_MARK_END, "gc-mark-end", "u", "", "") \
	X(GC_SWEEP_BEGIN, "gc-sweep-begin", "u", "", "") \
	X(GC_SWEEP_END, "gc-sweep-end", "u", "", "") \
	X(HEAP, "heap", "uUUU", "", "") \
	X(METHOD_ENTRY, "method-entry", "nnniu", "01", "") \
	X(METHOD_RETURN, "method-return", "nnniu", "01", "") \
	X(NATIVE_ENTRY, "native-entry", "nnniu", "01", "") \
	X(NATIVE_RETURN, "native-return", "nnniu", "01", "") \
	X(METHOD_CACHE_CLEAR, "method-cache-clear", "nni", "0", "") \
	X(OBJECT_CREATE, "object-create", "nUniuU", "0", "1") \
	X(OBJECT_FREE, "object-free", "nUU", "0", "1") \
	X(ARRAY_CREATE, "array-create", "lniUnuU", "1", "3") \
	X(HASH_CREATE, "hash-create", "lniUnuU", "1", "3") \
	X(STRING_CREATE, "string-create", "lniUnuU", "1", "3") \
	X(SYMBOL_CREATE, "symbol-create", "tni", "1", "") \
	X(REQUIRE_ENTRY, "require-entry", "tni", "0", "") \
	X(REQUIRE_RETURN, "require-return", "tniu", "0", "") \
	X(FIND_REQUIRE_ENTRY, "find-require-entry", "tni", "0", "") \
	X(FIND_REQUIRE_RETURN, "find-require-return", "tni", "0", "") \
	X(LOAD_ENTRY, "load-entry", "tni", "0", "") \
	X(LOAD_RETURN, "load-return", "tniu", "0", "") \
	X(PARSE_BEGIN, "parse-begin", "ni", "0", "") \
	X(PARSE_END, "parse-end", "ni", "0", "") \
	X(RAISE, "raise", "nniut", "0", "") \
	X(RESCUE, "rescue", "nniu", "0", "") \
	X(USER_MARKER, "user-marker", "ut", "1", "") \
	X(CAP_CREATE, "cap-create", "uun", "0", "") \
	X(CAP_DELETE, "cap-delete", "u", "0", "") \
	X(CAP_DISABLE, "cap-disable", "u", "0", "") \
	X(CAP_ENABLE, "cap-enable", "u", "0", "") \
	X(TASK_CREATE, "task-create", "uUUU", "0", "") \
	X(TASK_DELETE, "task-delete", "uUU", "0", "") \
	X(GC_STATS, "gc-stats", "uuUUUuUUU", "1", "2") \
	X(OBJECT_RESIZE, "object-resize", "UnUUu", "1", "3") \
	X(LOCK_RELEASE, "lock-release", "uuUn", "3", "") \
	X(THREAD_PARK, "thread-park", "uun", "12", "") \
	X(THREAD_UNPARK, "thread-unpark", "uun", "12", "") \
	X(GC_PHASE_BEGIN, "gc-phase-begin", "unu", "12", "") \
	X(GC_PHASE_END, "gc-phase-end", "unu", "12", "") \
	X(FINALIZE_BEGIN, "finalize-begin", "unU", "1", "") \
	X(FINALIZE_END, "finalize-end", "unU", "1", "") \
	X(SAFEPOINT_BEGIN, "safepoint-begin", "unU", "1", "") \
	X(SAFEPOINT_END, "safepoint-end", "unU", "1", "") \
	X(COMPILE_BEGIN, "compile-begin", "unnniuu", "125", "") \
	X(COMPILE_END, "compile-end", "unnniuuU", "125", "7") \
	X(CODE_LOAD, "code-load", "UUnn", "23", "1") \
	X(CODE_UNLOAD, "code-unload", "UUnn", "23", "1") \
	X(DEOPTIMIZE, "deoptimize", "nnn", "012", "") \
	X(CLASS_LOAD, "class-load", "unnu", "1", "") \
	X(SAMPLE, "sample", "uuU", "1", "2") \
	X(THREAD_DUMP, "thread-dump", "uuunuuu", "1", "") \
	X(HEAP_SAMPLE, "heap-sample", "unUUuu", "1", "2")
/* clang-format on */

enum event {
#define X(macro, name, types, key, sum) EVENT_##macro,
	EVENTS(X)
#undef X
		EVENT_COUNT
};

#define EVENT(cap_, NAME, ...)                                                                     \
	do {                                                                                       \
		struct capability *event_cap_ = (cap_);                                            \
		event_cap_->counts[EVENT_##NAME]++;                                                \
		EVENT_TELL(event_cap_, NAME, __VA_ARGS__);                                         \
	} while (0)

/* The same without counting. */
#define EVENT_TELL(cap_, NAME, ...)                                                                \
	do {                                                                                       \
		if (__builtin_expect((cap_)->recorder != NULL, 0))                                 \
			event_record((cap_)->recorder, EVENT_##NAME, __VA_ARGS__);                 \
		VMTAP_##NAME(__VA_ARGS__);                                                         \
	} while (0)

/*
 * For events of the interpreter's loop. The statement tell calls a cold function that uses
 * EVENT_TELL. That keeps the evaluation of the arguments, and the registers it needs, out of
 * the loop.
 */
#define EVENT_BY(cap_, NAME, tell)                                                                 \
	do {                                                                                       \
		(cap_)->counts[EVENT_##NAME]++;                                                    \
		if (__builtin_expect((cap_)->recorder != NULL, 0) || VMTAP_##NAME##_ENABLED())     \
			tell;                                                                      \
	} while (0)

/* For allocations: the bytes also count for samples. */
#define EVENT_ALLOCATED(cap_, NAME, bytes_, ...)                                                   \
	do {                                                                                       \
		struct capability *allocated_cap_ = (cap_);                                        \
		allocated_cap_->counts[EVENT_##NAME]++;                                            \
		if (__builtin_expect(allocated_cap_->recorder != NULL, 0) ||                       \
			VMTAP_##NAME##_ENABLED()) {                                                \
			sampling_count(allocated_cap_, bytes_);                                    \
			EVENT_TELL(allocated_cap_, NAME, __VA_ARGS__);                             \
		}                                                                                  \
	} while (0)

/* Records the event with its arguments, which have the types that EVENTS gives. */
void event_record(struct event_recorder *recorder, enum event event, ...);

/*
 * One recorder per capability, used only by its OS thread. log_fd is -1 without a log;
 * several recorders may write lines to it. NULL when memory runs out.
 */
struct event_recorder *event_recorder_new(int log_fd, bool by_key);
/* Writes out what the log still buffers. 0, or the negative errno of a failed write. */
int event_recorder_flush(struct event_recorder *recorder);
void event_recorder_free(struct event_recorder *recorder);

/* The sums of all capabilities of all VMs, as "name count" lines or as one JSON object. */
void stats_print(const struct process *process, FILE *out, bool json);
/* The sums by key, as JSON lines. 0, -ENOMEM. */
int stats_print_by_key(const struct process *process, FILE *out);

#endif
