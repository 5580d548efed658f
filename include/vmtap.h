/*
 * vmtap.h: static probes for a language VM.
 *
 * A VM says what it does (a method is entered, a collection starts, a thread is
 * woken) with one macro per event. While nobody listens a macro costs two
 * instructions on x86-64 and evaluates none of its arguments. Listeners are
 *   - every tracer of the machine (bpftrace, perf, SystemTap, gdb, DTrace), through
 *     USDT sites of provider "vm", with no call to this library at all;
 *   - `vmtap trace -p PID`, and any reader of GHC eventlogs, through a socket that
 *     vmtap_start() serves to processes of the same user: no privilege needed.
 *
 *
 * The first probe
 * ---------------
 *     #include <vmtap.h>
 *
 *     static struct vmtap_name reason = VMTAP_NAME("gc");
 *
 *     int main(int argc, char **argv)
 *     {
 *             vmtap_start(NULL);
 *             VMTAP_STARTUP(1);
 *             VMTAP_PAUSE_BEGIN(0, &reason);
 *             ...
 *             VMTAP_PAUSE_END(0, &reason);
 *             VMTAP_SHUTDOWN(0);
 *             vmtap_stop();
 *     }
 *
 *     cc vm.c $(pkg-config --cflags --libs --static vmtap)
 *
 * The probes, their arguments and where each belongs in a VM stand in
 * vmtap_probes.h, which this header includes; examples/toy in vmtap's sources is a
 * whole interpreter that fires them all.
 *
 *
 * Which part is where
 * -------------------
 * The probe part (guards, fire functions) must be linked into every object that
 * fires: the VM's executable, and each extension .so. It is in libvmtap.a and alone
 * in libvmtap_probes.a; its symbols are hidden, so objects never share a guard.
 * The runtime part (rings, names, the socket) is there once in a process: from
 * libvmtap.a, or as libvmtap.so. A VM that never calls vmtap_start() links none of
 * it and still has its USDT probes. If the runtime is linked statically and
 * extensions fire too, the executable exports it: link with -rdynamic.
 *
 *
 * Scripts of other runtimes
 * -------------------------
 * Compiled with -DVMTAP_PROVIDER_RUBY (-DVMTAP_PROVIDER_HASKELLEVENT, -DVMTAP_PROVIDER_CCL)
 * in one of its files, the VM has the probes of Ruby's interpreter (GHC's, Clozure CL's) as
 * well, for scripts that were written for them. Nothing else changes in the VM: the macros
 * of provider "vm" fire them.
 *
 *
 * Threads, signals, fork
 * ----------------------
 * Every macro may be used on any thread, also in a signal handler: an event that
 * interrupts another event's recording is dropped and counted, never waited for. A
 * handler that has interrupted a macro must return to it: after a longjmp() out of
 * one, or an asynchronous cancellation, all later events of its thread are dropped
 * and counted. A macro keeps errno, is no cancellation point, raises no signal, and
 * takes less than 1 KB of stack.
 *
 * After the first event of a thread, which maps its ring, recording neither blocks
 * nor allocates nor makes a system call, with two exceptions: the first event after a
 * quiet time wakes the library's thread, and a client may have asked for lossless
 * delivery: then the VM waits for it where else a full ring drops the event and counts
 * it. In a sandbox recording needs mmap, getpid, gettid, fstat, write, futex and
 * clock_gettime; none of them while nobody listens. A client has an event about a
 * millisecond after it was recorded; the first one after a quiet time, 20 ms later at most.
 *
 * After fork() the child serves nobody until it calls vmtap_start() itself; kernel
 * tracers follow it. What is fired between vfork() and exec is the parent's, and lost, and
 * counted, where it would be its thread's first event.
 * An extension must not be unloaded while a thread is in one of its macros.
 */
#ifndef VMTAP_H
#define VMTAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VMTAP_API __attribute__((visibility("default")))
#define VMTAP_HIDDEN __attribute__((visibility("hidden")))
#else
#define VMTAP_API
#define VMTAP_HIDDEN
#endif

#define VMTAP_VERSION_MAJOR 0
#define VMTAP_VERSION_MINOR 1
#define VMTAP_VERSION_PATCH 0
#define VMTAP_VERSION "0.1.0"

/* No capability: for events outside guest execution. */
#define VMTAP_NO_CAP UINT16_MAX

/*
 * A string that recurs: a class, a method, a file. Embed one in the VM's own
 * object and pass its address to the probes. A client is sent the text once and
 * then the id, so the text need only be valid during the call: the VM may move or
 * free it afterwards, and sets text anew when it does. The text is UTF-8 and
 * NUL-terminated; clients get its first 4000 bytes. To name something else,
 * initialise the struct again, and not while another thread passes it: any number of
 * threads may do that at once. When the id is 0 the library takes one, on any
 * thread; the VM never writes to it. Ids are the process's: names do not belong into memory that
 * processes share, but a child of fork() may keep its copies. Ids are never given back: when the
 * room for names is used up, new ones travel with each event.
 */
struct vmtap_name {
	const char *text;
	uint32_t length; /* in bytes, without the NUL */
	uint32_t id;     /* the library's; 0 at first */
};

/* A static initialiser: static struct vmtap_name gc = VMTAP_NAME("gc"); */
#define VMTAP_NAME(literal)                                                                        \
	{                                                                                          \
		(literal), sizeof(literal) - 1, 0                                                  \
	}

static inline void vmtap_name_init(struct vmtap_name *name, const char *text, size_t length)
{
	name->text = text;
	name->length = length & UINT32_MAX;
	name->id = 0;
}

/*
 * What a VM may choose; zero everywhere is a good choice. size is
 * sizeof(struct vmtap_options), so that the struct can grow. All that it points to is
 * copied. ring_bytes and name_bytes are the process's: name_bytes is settled by the first name
 * that is recorded, ring_bytes holds for the rings of threads to come.
 */
struct vmtap_options {
	size_t size;
	const char *runtime; /* what the VM is, "toy 1.0"; NULL: the program's name */
	const char *socket;  /* the socket's path, at most 107 bytes, absolute if the VM changes
				its folder; NULL: the place vmtap looks for it */
	int argument_count;  /* the program's arguments, for listeners to show */
	char *const *arguments;
	uint16_t caps;        /* capabilities the VM starts with; 0: 1 */
	uint32_t ring_bytes;  /* per OS thread that fires while a client listens; 0: 1 MiB */
	uint32_t name_bytes;  /* room for the texts of names; 0: 16 MiB, touched as used */
	uint32_t queue_bytes; /* per client, before a slow one loses events; 0: 8 MiB */
	uint32_t flush_ms;    /* how long vmtap_stop() waits for slow clients; 0: 2000 */
	int send_environment; /* 1: listeners are sent the environment too, secrets and all */
};

/*
 * Samples of the heap
 * -------------------
 * A VM that can tell what its heap holds registers a census, and clients of the stream can
 * ask for a sample of it, or for samples at a period: what all live objects of each class,
 * or from each allocation site, take.
 *
 * The census is a function that calls vmtap_census_add() as often as it likes; bytes of
 * equal labels add up, so that it may simply walk all objects. It may allocate, lock and
 * take its time, but must return, fire no probe, call nothing else of this library, and
 * wait for no thread that is in vmtap_stop().
 *   - Without polls the library calls it, on its own thread (256 KB of stack, all signals
 *     blocked), whenever a sample is due: for a VM whose counts can be read at any moment. The
 *     stream stands meanwhile.
 *   - With polls the library only makes vmtap_census_wanted() nonzero, and calls wanted, if
 *     it is not NULL, on its own thread: it may set a flag that makes the VM come to its
 *     safepoint, and must not wait for that. The VM stops itself, calls vmtap_census_take() on
 *     a thread of its own, and that calls the census there. One that is wanted stays
 *     wanted until it is taken, or until no client is left that gets samples.
 * Never two at once, whoever calls, and as much time between two as the last one took. What
 * clients ask for before a census is registered is kept until it is. These functions may be
 * called on any thread, and not in signal handlers.
 */
enum vmtap_census_by {
	VMTAP_CENSUS_BY_SITE = 2, /* labels are "file:line"; GHC's readers say "module" */
	VMTAP_CENSUS_BY_CLASS = 7 /* GHC's readers say "closure type" */
};

struct vmtap_census;
typedef void (*vmtap_census_function)(struct vmtap_census *census, void *context);

struct vmtap_census_options {
	size_t size; /* sizeof(struct vmtap_census_options) */
	enum vmtap_census_by by;
	vmtap_census_function take;
	void *context; /* for take and wanted */
	int polls;
	void (*wanted)(void *context);
	uint32_t period_ms; /* where a client names none; 0: 100 */
};

#ifdef __cplusplus
}
#endif

#include "vmtap_probes.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For VMs whose code is not C: a JIT compiler, a runtime in another language
 * ----------------------------------------------------------------------------
 * Guest code tests the 32-bit word at vmtap_guard(probe) and, when it is not zero, calls
 * vmtap_fire(probe), which takes the probe's arguments in the C calling convention (a
 * [name] as struct vmtap_name *, a text as const char *). Both are constants of the
 * object they are called in. NULL for a number that is no probe.
 */
typedef void (*vmtap_fire_function)(void);

/*
 * Which guards are open, a bit for each probe: probe p is bit p % 64 of open[p / 64].
 */
enum { VMTAP_POLL_WORDS = (VMTAP_PROBES + 63) / 64 };
struct vmtap_guards {
	uint64_t open[VMTAP_POLL_WORDS];
};

static inline int vmtap_poll_is_open(const struct vmtap_guards *state, enum vmtap_probe probe)
{
	return (state->open[probe / 64] >> (probe % 64) & 1) != 0;
}

#ifndef VMTAP_DISABLE

VMTAP_HIDDEN const uint32_t *vmtap_guard(enum vmtap_probe probe);
VMTAP_HIDDEN vmtap_fire_function vmtap_fire(enum vmtap_probe probe);

/*
 * For a VM that must install a hook before it can produce events: brings *state (all
 * zero at first) up to date and returns how many guards have opened or closed since;
 * which, is in *changed unless that is NULL. Reads a few cache lines: cheap enough for a
 * safepoint. Any thread and signal handler, with a state of its own; the guards are those of
 * the object that it is called in. The kernel calls nobody when a tracer comes, so a VM asks.
 */
VMTAP_HIDDEN int vmtap_poll(struct vmtap_guards *state, struct vmtap_guards *changed);

/*
 * Starts to serve clients: creates the socket and one thread, which sleeps until a
 * client comes and blocks every signal. The socket is $XDG_RUNTIME_DIR/vmtap/PID
 * or /tmp/vmtap-UID/PID (directory 0700, socket 0600) unless options say otherwise.
 * If the environment's VMTAP_WAIT is 1, or this process's pid, waits until a client has
 * subscribed, so that nothing is lost from the first event on (`vmtap trace -c` does
 * that), and sets it to 0: what the process runs next has no client that it could wait
 * for. VMTAP_SOCKET is a path for the socket, before the options'. VMTAP_LOG is a file that
 * gets all events from the first on; it is emptied, and the variable too. The environment
 * is ignored in set-uid programs.
 *
 * options may be NULL. Returns 0, or a negative errno: -EALREADY when started,
 * -ENAMETOOLONG for a path of more than 107 bytes, -EADDRINUSE, -EPERM, -ELOOP or -EEXIST for
 * what stands at the path, what the system said when socket or log cannot be made; the VM
 * can go on all the same.
 * Call it once the VM is ready for another thread, has the user that it keeps, and has closed
 * the descriptors that it inherited; on any thread, but not from a signal handler, nor while
 * others use setenv(). It keeps two descriptors and one for each client, none of them 0, 1 or
 * 2, all closed by exec. A VM that closes them all the same ends the stream. No cancellation
 * point. A process whose main() ends by pthread_exit() ends with its last thread, and one is the
 * library's: there whoever is last calls vmtap_stop() or exit().
 */
VMTAP_API int vmtap_start(const struct vmtap_options *options);

/*
 * Delivers what is in the rings, ends every client's stream in order, removes the
 * socket and the thread. Waits for slow clients as long as options said, for
 * lossless ones until they are gone. What is fired afterwards is recorded by nobody;
 * vmtap_start() may be called again. Also done at exit(). On any thread, started or not; not
 * from a signal handler or a census. No cancellation point.
 */
VMTAP_API void vmtap_stop(void);

/*
 * Registers the process's census in place of the one before; NULL: none any more. Before or
 * after vmtap_start(). The options are copied. 0, or -EINVAL: take is missing, or by is
 * none of the above. A census that has begun is not interrupted: it may still run when this
 * returns.
 */
VMTAP_API int vmtap_census_register(const struct vmtap_census_options *options);

/* Whether a sample waits for vmtap_census_take(). One load: cheap enough for a safepoint. */
VMTAP_API int vmtap_census_wanted(void);

/* Calls the census on this thread if a sample waits and no other thread takes it. 1: it has
 * been called. Not from a signal handler. */
VMTAP_API int vmtap_census_take(void);

/* Inside a census, on its thread: so many bytes more of this label (UTF-8, cut at 4000
 * bytes). The text is copied. Without memory for it the sample is lost, and counted. */
VMTAP_API void vmtap_census_add(
	struct vmtap_census *census, const char *label, size_t length, uint64_t bytes);

/* The version of the runtime part, as VMTAP_VERSION; a constant. */
VMTAP_API const char *vmtap_version(void);

#else /* everything compiled out: no library is needed */

static inline const uint32_t *vmtap_guard(enum vmtap_probe probe)
{
	static const uint32_t closed = 0;
	(void)probe;
	return &closed;
}

static inline vmtap_fire_function vmtap_fire(enum vmtap_probe probe)
{
	(void)probe;
	return 0;
}

static inline int vmtap_poll(struct vmtap_guards *state, struct vmtap_guards *changed)
{
	(void)state;
	if (changed)
		for (int i = 0; i < VMTAP_POLL_WORDS; i++)
			changed->open[i] = 0;
	return 0;
}

static inline int vmtap_start(const struct vmtap_options *options)
{
	(void)options;
	return 0;
}

static inline void vmtap_stop(void)
{
}

static inline int vmtap_census_register(const struct vmtap_census_options *options)
{
	(void)options;
	return 0;
}

static inline int vmtap_census_wanted(void)
{
	return 0;
}

static inline int vmtap_census_take(void)
{
	return 0;
}

static inline void vmtap_census_add(
	struct vmtap_census *census, const char *label, size_t length, uint64_t bytes)
{
	(void)census;
	(void)label;
	(void)length;
	(void)bytes;
}

static inline const char *vmtap_version(void)
{
	return VMTAP_VERSION;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
