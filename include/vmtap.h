/*
 * vmtap.h: static probes for a language VM.
 *
 * A VM reports what it does (a method is entered, a collection starts, a thread is
 * woken) with one macro per event. While nobody listens, a macro costs two
 * instructions on x86-64 and evaluates none of its arguments. Two kinds of tools can
 * listen:
 *   - every tracer on the machine (bpftrace, perf, SystemTap, gdb, DTrace), through
 *     the USDT sites of provider "vm"; this needs no call to the library at all;
 *   - `vmtap trace -p PID` and any reader of GHC eventlogs, through a socket that
 *     vmtap_start() serves to processes of the same user; this needs no privilege.
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
 * vmtap_probes.h, which this header includes, describes the probes, their arguments
 * and where each belongs in a VM; examples/toy in vmtap's sources is a whole
 * interpreter that fires them all.
 *
 *
 * What to link
 * ------------
 * The probe part (guards, fire functions) must be linked into every object that fires: the VM's
 * executable and each extension .so. libvmtap.a contains it, and libvmtap_probes.a contains nothing
 * else. Its symbols are hidden, so objects never share a guard. An object contains only the sites
 * of those probes that its code refers to, so `vmtap check` finds a probe that is not fired any
 * more. VMTAP_X_ENABLED() alone adds no site; vmtap_fire() and -Wl,--whole-archive add all.
 *
 * The runtime part (rings, names, the socket) exists once per process: linked from libvmtap.a, or
 * loaded as libvmtap.so. A VM that calls neither vmtap_start() nor the census links none of it and
 * still has its USDT probes. Of the rarer parts (samples of the heap and of what runs, guest
 * stacks, vmtap_on_change()) the executable contains only those that it calls itself. If only its
 * extensions call them, link it with, for example, -Wl,-u,vmtap_census_register. libvmtap.so
 * contains all. If the runtime is linked statically and extensions fire too, link the executable
 * with -rdynamic so that they find it; otherwise their events are missing, and clients get a
 * message. A process may have several runtimes that do not see each other, such as two extensions
 * that each contain libvmtap.a: each vmtap_start() then serves a socket of its own. `vmtap trace`
 * with -p or -c follows all of them, `vmtap record` one.
 *
 *
 * Scripts of other runtimes
 * -------------------------
 * A VM that compiles one of its files with -DVMTAP_PROVIDER_RUBY also has the probes of
 * Ruby's interpreter, for scripts that were written for those; -DVMTAP_PROVIDER_HASKELLEVENT
 * adds GHC's probes and -DVMTAP_PROVIDER_CCL those of Clozure CL. Nothing else changes in the
 * VM: the macros of provider "vm" fire these probes too.
 *
 *
 * Threads, signals, fork
 * ----------------------
 * Every macro may be used on any thread and in signal handlers. An event fired while its thread is
 * still recording another one is dropped and counted; it never waits. A handler that has
 * interrupted a macro must return to it: after a longjmp() out of the handler, or an asynchronous
 * cancellation, all later events of that thread are dropped and counted, until it calls
 * vmtap_thread_reset(). A macro is not a cancellation point, raises no signal, and takes less than
 * 1 KB of stack. Macros and functions preserve errno, the thread's signal mask and its cancellation
 * state. Functions of this library must be returned to as well: after a longjmp() out of a handler
 * that has interrupted vmtap_start(), vmtap_stop(), a census or the removal of a function, or out
 * of a function of the VM that the library has called, other threads may wait in these functions
 * for ever, and no further census may be taken. An asynchronous cancellation of a thread in one of
 * them takes effect when it returns. If the program binds functions lazily (it is linked without
 * -Wl,-z,now), the first event also takes the stack that the dynamic linker needs: about 3 KB, more
 * on CPUs with larger registers.
 *
 * A thread's first event maps its ring. After that, recording does not block, allocate or make
 * system calls, with two exceptions: the first event after a quiet time wakes the library's thread,
 * and an event that a client has asked for with lossless delivery waits until there is room for it.
 * All other events that find the ring full are dropped and counted. A client's requests add no cost
 * to the events of other probes.
 *
 * No wait is for ever, whatever locks the VM holds: a client that takes no byte for
 * options.lossless_ms loses events from then on, and gets a message. The same holds for one that
 * takes no byte for options.flush_ms after a signal has interrupted the wait (the handler runs at
 * once), or after the program has called exit(). The library's thread, or the thread that takes a
 * turn, can be stuck itself: a census or another function of the VM that it has called does not
 * return, or a debugger has stopped it or a thread that holds a lock of the library. If it does
 * nothing for two seconds longer than options.lossless_ms, threads that fire no longer wait until
 * it continues: events that have no room are counted as lost.
 *
 * A client receives an event about a millisecond after it was recorded. While fewer events come
 * than one a millisecond, it may take some 20 ms longer, or as long as all clients have stated
 * (vmtap's option switchrate), so that the library's thread wakes seldom: less than fifty times a
 * second. Except for short bursts, the requests of all clients together take at most a twentieth of
 * one CPU's time. If 64 clients are connected and another one connects, the server closes the one
 * that has been idle for longest, and sends it a message. A client is idle if for a second it has
 * sent no whole request and has read less than the system frees at once (some 100 KB). If none is
 * idle, the new client receives a message that says so, after a second.
 *
 * Time stamps are readings of the processor's counter. A VM that forbids its threads to read it
 * (prctl PR_SET_TSC) must do so before vmtap_start(), which then chooses the system's clock; a
 * thread that does so later gets SIGSEGV at its next event, as from any other use of the clock.
 *
 * The library's thread inherits the scheduling policy and priority of the thread that calls
 * vmtap_start(). Under SCHED_OTHER it asks the scheduler for short time slices soon rather than
 * long ones later (sched_setattr); FIFO, RR, BATCH and IDLE stay as they are. A thread of a
 * real-time VM that fires an event which a lossless client receives waits for that client, whatever
 * the priority of either; such a VM should refuse lossless clients.
 *
 * After fork() the child serves nobody until it calls vmtap_start() itself, as each worker of a
 * pre-forking server does, unless fork() has done that for it (serve_children in the options).
 * Kernel tracers follow the child. The same holds for a child made by _Fork() or clone(): at its
 * first event or call of the library it drops what it has inherited of the parent's stream (Linux
 * 4.14 and later). The library runs nothing of its own in the process that calls fork(), and no
 * function of this library waits for a thread that is in fork(). So handlers of fork() may take any
 * lock of the VM, even one that is held while the VM fires, loads an object that fires, takes a
 * census or a turn, or starts or stops the stream; and they may fire events themselves. Events
 * fired between vfork() and exec count as the parent's; one that would be its thread's first event
 * is lost and counted. An extension must not be unloaded while a thread is in one of its macros.
 *
 * If a client of the parent follows children (`vmtap trace --follow -p PID`, or a trace of all
 * VMs), a child's vmtap_start() waits for that client for at most a second, so that it misses no
 * event; with a negative options.lossless_ms it does not wait. Events that the client misses before
 * it connects are counted. The parent's stream reports them, even if the child has ended meanwhile;
 * if the parent's stream has ended, the child's does, provided that the client connects within ten
 * seconds. So vmtap_stop() and exit() wait for a client that has not connected, for a second or
 * options.flush_ms, whichever is shorter. No call waits for a client whose process has ended. While
 * fork() waits, the library calls no function of the VM, because the VM's handlers may hold its
 * locks.
 *
 * Memory
 * ------
 * options.memory_bytes limits what the rings, the clients and their queues, and the tables (texts
 * of names, descriptions of events, samples of the heap) of the process take together. Mapped
 * memory counts whether it has been touched or not, so a program that calls mlockall(MCL_FUTURE)
 * stays within the limit too. Not counted: the stack of the library's thread (256 KB), its static
 * data and the copies of the options. Unless the VM chooses a limit, it is at most an eighth of the
 * memory that the process can have when vmtap_start() is called: the least of the machine's memory,
 * RLIMIT_AS, and the limits of its control groups and of those that contain them.
 *   - A ring takes ring_bytes, but, above 64 KiB, at most 1/256 of what is left of three quarters
 *     of the limit, so that many threads get smaller rings. The texts of names take at most an
 *     eighth. A client begins with some 400 KB; its queue grows when necessary, up to queue_bytes
 *     (eight times that if it is lossless). Queues leave an eighth of the limit to later threads
 *     and clients.
 *   - At the limit, a thread gets no ring: its events are dropped and counted as lost, and it tries
 *     again after 1024 events. A queue does not grow: the client loses events, or, if it is
 *     lossless, the VM waits for it. A name without room travels with each of its events. A sample
 *     of the heap is lost and counted. A client without room gets a message, and its connection
 *     ends.
 *   - At most every ten seconds, clients get a message that the limit was reached and what was
 *     refused.
 *   - When the last client leaves, the memory of queues and of the rings' contents is returned to
 *     the system, even if the program locks its memory (Linux 5.18 and later). Each thread keeps 16
 *     KiB of its ring; if it ends while no client is connected, the ring is freed when the next one
 *     connects, or by vmtap_stop(). Names and descriptions of events are kept.
 * A thread that has fired one event takes 8 KiB of resident memory.
 *
 *
 * In a sandbox
 * ------------
 * A VM may enter a sandbox (seccomp) after vmtap_start(). A system call that fails there never
 * makes the library spin, hold a lock or lose an event without counting it.
 *   - Recording needs mmap, getpid, gettid, fstat, write, futex and clock_gettime. While nobody
 *     listens it needs none of them.
 *   - The library's thread needs poll (ppoll) to wait; read and write for its eventfd; accept4,
 *     getsockopt, setsockopt and fcntl for new clients; sendto (or write) and recvfrom (or read)
 *     for connected ones; fstat and close; mmap, mremap, munmap and madvise; futex; tgkill and
 *     getpid to learn which threads have ended; clock_gettime; lstat and unlink to remove the
 *     socket; and what the C library calls to allocate memory and to end a thread.
 *   - Without accept4 or mmap, new clients are not served; connected ones still are. Without poll
 *     the thread checks for work every few milliseconds, which needs nanosleep, clock_nanosleep or
 *     futex. If none of them is allowed either, the thread ends every stream in order, and then
 *     itself.
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

/* Functions of the probe part: each object has its own. libvmtap_ffi.so exports its functions. */
#ifdef VMTAP_EXPORT_PART
#define VMTAP_PART VMTAP_API
#else
#define VMTAP_PART VMTAP_HIDDEN
#endif

#define VMTAP_VERSION_MAJOR 0
#define VMTAP_VERSION_MINOR 1
#define VMTAP_VERSION_PATCH 0
#define VMTAP_VERSION "0.1.0"

/* No capability: for events outside guest execution. */
#define VMTAP_NO_CAP UINT16_MAX

/*
 * A string that recurs: a class, a method, a file. Embed one in the VM's own
 * object and pass its address to the probes. The library sends a client the text once
 * and then only the id, so the text need only be valid during the call: the VM may move
 * or free it afterwards, and must then update the text member. The text is UTF-8 and
 * NUL-terminated; clients get its first 4000 bytes.
 *
 * Any number of threads may pass the same name at once. To name something else,
 * initialise the struct again, while no thread passes it. The library sets the id when it
 * is 0, on any thread; the VM never writes to it. Ids are valid in one process only: do not
 * put names into memory shared between processes; a child of fork() may keep its copies.
 * Ids are never freed: when the room for names is used up, the text of each new name is
 * sent with every event that uses it.
 */
struct vmtap_name {
	const char *text;
	uint32_t length; /* in bytes, without the NUL */
	uint32_t id;     /* set by the library; 0 at first */
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
 * A name for a text that will not recur, such as a class that is made for one object: use it as an
 * argument of a macro. It uses no id, and its text travels with the event. As in all names,
 * text[length] is NUL.
 *     VMTAP_RAISE(VMTAP_NAME_ONCE(text, length), file, line, thread, message);
 */
#define VMTAP_NAME_ID_NONE UINT32_MAX
#if defined(__cplusplus) && __cplusplus >= 201103L
#define VMTAP_NAME_ONCE(text, length)                                                              \
	vmtap_name_once_(vmtap_name{(text), static_cast<uint32_t>(length), VMTAP_NAME_ID_NONE})
static inline vmtap_name *vmtap_name_once_(vmtap_name &&name)
{
	return &name;
}
#elif !defined(__cplusplus)
#define VMTAP_NAME_ONCE(text, length)                                                              \
	(&(struct vmtap_name){(text), (uint32_t)(length), VMTAP_NAME_ID_NONE})
#endif

/*
 * The options of vmtap_start(); zero for everything but size is a good choice. size is
 * sizeof(struct vmtap_options), so that the struct can grow. Everything it points to is copied.
 * ring_bytes, name_bytes and memory_bytes apply to the whole process: ring_bytes to rings that are
 * created later, name_bytes only until the first name is recorded, memory_bytes to memory that is
 * taken later (what has been taken is kept).
 */
struct vmtap_options {
	size_t size;
	const char *runtime; /* the VM's name and version, "toy 1.0"; NULL: the program's name */
	const char *socket;  /* the socket's path, at most 107 bytes, absolute if the VM changes
				its working directory; %p in it becomes the pid; NULL: where
				vmtap looks for it */
	int argument_count;  /* the program's arguments, for listeners to show */
	char *const *arguments;
	uint16_t caps;        /* capabilities the VM starts with; 0: 1 */
	uint32_t ring_bytes;  /* per OS thread that fires while a client listens; 0: 1 MiB */
	uint32_t name_bytes;  /* room for the texts of names; 0: 16 MiB, touched as used */
	uint32_t queue_bytes; /* per client, before a slow one loses events; 0: 8 MiB */
	uint32_t flush_ms;    /* how long vmtap_stop() and exit() wait for slow clients; 0: 2000 */
	int send_environment; /* nonzero: also send the environment to clients, including any
				 secrets in it */
	int32_t lossless_ms;  /* how long a client that asked for lossless delivery may take no byte
				 while a thread of the VM waits for it; then it loses events and gets
				 a message. 0: 10 s; negative: no client gets lossless delivery */
	int serve_children;   /* nonzero: each child of fork() calls vmtap_start() with the same
				 options before fork() returns in it; see below */
	int without_thread;   /* nonzero: the library makes no thread; the VM's own loop calls
				 vmtap_turn(), see there */
	uint64_t memory_bytes; /* the most memory that the library takes, at least 4 MiB, see
				  "Memory"; 0: 512 MiB, or room for 512 rings or 64 queues of the
				  chosen sizes if that is more, but at most an eighth of the memory
				  that the process can have */
};

/*
 * Samples of the heap
 * -------------------
 * A VM that can enumerate its heap registers a census. Clients of the stream can then request one
 * sample, or periodic samples: how many live objects of each class, or from each allocation site,
 * there are, and how many bytes they take. `vmtap heap` shows them.
 *
 * The census is a function that calls vmtap_census_add_objects(), or vmtap_census_add() if it does
 * not count objects, any number of times. Bytes and objects of equal labels add up, so it can
 * simply walk all objects. It may allocate, take locks and run for long, but it must return, fire
 * no probe, call no other function of this library, and not wait for a thread that is in
 * vmtap_stop().
 *   - Without polls, the library calls it on its own thread (256 KB of stack, all signals
 *     blocked) whenever a sample is due. This is for a VM whose counts can be read at any
 *     moment. The stream pauses meanwhile.
 *   - With polls, the library only makes vmtap_census_wanted() nonzero and, if wanted is not
 *     NULL, calls it on the library's thread. wanted may set a flag that brings the VM to a
 *     safepoint, but must not wait for that. The VM stops itself and calls
 *     vmtap_census_take() on one of its threads, which calls the census there. The sample
 *     remains requested until it is taken, or until no client that gets samples is left.
 * With polls, counted is called for each label after that, on the same thread, to fire
 * vm:::heap-sample, so that scripts can use what was counted:
 *
 *     static void counted(const struct vmtap_census_label *label, void *context)
 *     {
 *             VMTAP_HEAP_SAMPLE(label->sample, vmtap_name_intern(label->text, label->length),
 *                     label->bytes, label->objects, label->index, label->count);
 *     }
 *
 * Two censuses never run at once, and between two there is at least as much time as the last one
 * took, up to a second. Requests that come before a census is registered are kept until one is.
 * These functions may be called on any thread, but not in signal handlers.
 */
enum vmtap_census_by {
	VMTAP_CENSUS_BY_SITE = 2, /* labels are "file:line"; GHC's readers say "module" */
	VMTAP_CENSUS_BY_CLASS = 7 /* GHC's readers say "closure type" */
};

struct vmtap_census;
typedef void (*vmtap_census_function)(struct vmtap_census *census, void *context);

/* What a census has counted for a label; valid during the call. */
struct vmtap_census_label {
	const char *text; /* without a NUL */
	size_t length;
	uint64_t bytes, objects; /* objects 0: not counted */
	uint32_t sample;         /* the number of the census */
	uint32_t index, count;   /* the label's number from 0, and how many there are */
};

struct vmtap_census_options {
	size_t size; /* sizeof(struct vmtap_census_options) */
	enum vmtap_census_by by;
	vmtap_census_function take;
	void *context; /* for take and wanted */
	int polls;
	void (*wanted)(void *context);
	uint32_t period_ms; /* for clients that name no period; 0: 100 */
	/* NULL: vm:::heap-sample is not fired. */
	void (*counted)(const struct vmtap_census_label *label, void *context);
};

/*
 * Guest stacks
 * ------------
 * A VM that can walk the stack of its guest program registers a walker. Scripts can then get the
 * guest stack of any probe with jstack(): of calls, allocations, exceptions, samples. Without a
 * walker, vmtap keeps stacks from method-entry and method-return; these lack methods that were
 * entered before the trace began, and cost an event for each call.
 *
 *     static void walk(struct vmtap_stack *stack, void *context)
 *     {
 *             struct frame *frame = this_vm_thread()->frame;
 *
 *             for (; frame; frame = frame->caller)
 *                     vmtap_stack_frame(stack, &frame->method->class_name,
 *                             &frame->method->name, &frame->method->file, line_of(frame));
 *     }
 *     ...
 *     vmtap_stack_register(walk, NULL);
 *
 * The library calls the walker in a macro, on the thread that fires, before the event is recorded,
 * and only if a client has requested stacks of that probe; events of other probes cost nothing
 * more. The walker adds the frames of the guest code that this thread runs now, from the innermost
 * outwards, with the line that each one is at. The first frame is the one that the event belongs
 * to: at method-entry the method that is entered, at method-return the one that returns. A thread
 * that runs no guest code adds none.
 *   - The walker may be called wherever the VM fires a probe, so the chain of frames must be intact
 *     there; in signal handlers too, if the VM fires in them. Where it is not intact, add nothing.
 *   - It must not allocate, take a lock, wait or move objects, or call any function of this library
 *     other than vmtap_stack_frame(). It may read what only its own thread changes.
 *   - An event that the walker fires, or that a signal handler fires while the walker runs, has an
 *     empty stack. After a longjmp() out of it, call vmtap_thread_reset().
 *   - A macro then takes up to 256 bytes more of stack, besides what the walker takes.
 * A stack has VMTAP_STACK_FRAMES_MAX frames at most. The outermost frames beyond that are cut, and
 * clients get their number. Names are the same as in macros: each is sent once. One made by
 * VMTAP_NAME_ONCE() is interned (vmtap_name_intern()). If a ring or a client has no room for both
 * the stack and its event, both are lost, as one event.
 */
enum { VMTAP_STACK_FRAMES_MAX = 128 };

struct vmtap_stack;
typedef void (*vmtap_stack_walker)(struct vmtap_stack *stack, void *context);

/*
 * Samples
 * -------
 * A script may request samples of what the VM runs, `profile-97 { @[jstack()] = count(); }`, which
 * needs no privilege if the VM takes them: it fires vm:::sample for each thread that runs guest
 * code, when the library requests that. At a safepoint, where the VM checks for other requests
 * anyway:
 *
 *     if (vmtap_sample_wanted()) {
 *             uint64_t weight = vmtap_sample_take();
 *             VMTAP_SAMPLE(cap, thread, weight);
 *     }
 *
 * vmtap_sample_wanted() is one load while nobody samples. If even that is too much in a hot loop,
 * register two functions that set the flags which bring threads to their safepoints:
 *   - due is called on the thread whose sample is due, in a signal handler, so it must be
 *     async-signal-safe: it sets that thread's flag.
 *   - wanted is called on the library's thread (in vmtap_turn(), if it has none), and sets the
 *     flags of all threads: when sampling begins, and when samples are due for which due cannot be
 *     called. Without due, it is called for all samples, and threads run on for a moment until it
 *     has interrupted them.
 * Neither may wait, fire a probe or call another function of this library except
 * vmtap_dump_wanted(). A thread that begins to run guest code while others are sampled calls
 * vmtap_sample_wanted() once, so that it is sampled from then on.
 *
 * The weight is CPU time in ns. Each thread has a timer on its own CPU clock, so a thread that
 * waits takes no samples, and CPU time counts where it was used, even if the thread waits
 * afterwards. If a sample is late, because no safepoint came, its weight is that of all periods
 * since the one before. A sample shows the first safepoint after the moment that it stands for:
 * safepoints at calls and at the ends of loops show the right method, and code without safepoints
 * does not appear. The kernel checks these timers only at the scheduler's ticks (often 250 a
 * second): a thread that lives between two ticks has no sample, and work in step with the ticks is
 * misrepresented. Work in step with the period is not, because the moment of the sample is random
 * within each period of CPU time. A client may request samples by elapsed time instead: they become
 * due for all threads at once, threads that wait take theirs afterwards, and the weight is the time
 * since the thread's last sample.
 *
 * The timer (timer_create) sends the thread a signal, SIGURG, whose default is to be ignored. The
 * library handles it only while samples are requested, and only if its action is the default when
 * sampling begins. The handler adds to a number and calls due; it runs on the thread's alternate
 * stack if it has one, otherwise it takes up to 4 KB of the thread's stack, more on CPUs with
 * larger registers. System calls that it interrupts are restarted (SA_RESTART); those that are
 * never restarted (see signal(7)) fail with EINTR only if the thread was using CPU time at that
 * moment, so not while it sleeps. Options choose another signal that the VM does not use, or
 * VMTAP_SAMPLE_TO_LIBRARY: then no thread of the VM is ever signalled, which suits threads with
 * tiny stacks. The timers then signal the library's thread, which marks the samples a little later:
 * the shares of phases that take less than a millisecond may be wrong by 20 percentage points. The
 * same holds if the program handles the signal itself, even from a later moment on, if a thread
 * blocks it, or if its alternate stack, when it first asks for samples, has no room for the
 * handler. If the program sets a handler while it is sampled, that also gets the timers' signals
 * (si_code is SI_TIMER), for up to a tenth of a second; so does a thread that then begins to block
 * and await the signal, for about a second. A program that waits for the signal (sigwait(),
 * signalfd()) gets the signals that others send.
 *
 * Samples become due at ticks of elapsed time if there can be no timers: because the system refuses
 * them, because the options say VMTAP_SAMPLE_NO_TIMERS, or because they would have to signal the
 * library's thread and there is none (without_thread). Clients then get a message. The weight is
 * the thread's CPU time since its last sample, so time used before a wait counts at the wait. In a
 * sandbox that kills for unknown system calls, allow timer_create, timer_settime, timer_delete,
 * rt_sigaction, rt_sigprocmask, rt_sigpending, clock_getres and signalfd4, or use
 * VMTAP_SAMPLE_NO_TIMERS.
 *
 * By bytes allocated: a VM calls vmtap_sample_allocated() where it fires its allocation probes
 * (object-create, array-create, hash-create, string-create), under their guards, which are open
 * while bytes are counted. So an allocation costs nothing more while nobody listens:
 *
 *     if (VMTAP_OBJECT_CREATE_ENABLED()) {
 *             uint64_t weight = vmtap_sample_allocated(bytes);
 *             if (weight)
 *                     VMTAP_SAMPLE(cap, thread, weight);
 *             VMTAP_OBJECT_CREATE(...);
 *     }
 *
 * A VM that fires vm:::sample by itself does so only while vmtap_sample_unit() is VMTAP_SAMPLE_OWN.
 *
 * A client may also request what all guest threads are doing, including those that wait. At a
 * safepoint:
 *
 *     if (vmtap_dump_wanted() && stop_the_world()) {
 *             if (vmtap_dump_take())
 *                     for each guest thread, numbered from 0:
 *                             VMTAP_THREAD_DUMP(cap, thread, status, reason, info, index, count);
 *             resume_the_world();
 *     }
 *
 * The walker must add the frames of the thread that is shown, not those of the thread that fires.
 * vmtap_dump_wanted() is one load, and wanted is called as for samples; wanted may call it, to
 * learn whether a dump waits. If no thread comes to a safepoint, because all wait, wanted should
 * bring one there.
 */
enum vmtap_sample_unit {
	VMTAP_SAMPLE_OWN,  /* nobody has asked for samples */
	VMTAP_SAMPLE_TIME, /* at safepoints; the weight is in ns */
	VMTAP_SAMPLE_BYTES /* at allocations; the weight is in bytes */
};

enum {
	VMTAP_SAMPLE_TO_LIBRARY = -1, /* timers signal the library's thread only */
	VMTAP_SAMPLE_NO_TIMERS = -2   /* no timers: samples become due at ticks */
};

struct vmtap_sample_options {
	size_t size; /* sizeof(struct vmtap_sample_options) */
	void (*wanted)(void *context);
	void *context; /* for wanted and due */
	int signal;    /* 0: SIGURG; a signal's number; or one of the above */
	void (*due)(void *context);
};

/*
 * When guards open and close
 * --------------------------
 * A VM that has to install a hook, or to compile other code, before it can produce events registers
 * changed. It is called on the library's thread, as soon as a client's request has opened or closed
 * guards, and within look_ms after a kernel tracer has. (The kernel notifies nobody, so the
 * library's thread wakes every look_ms to read the guards, even while nobody listens.) It is also
 * called for guards that are open when it is registered. Several changes may cause one call, and a
 * guard that opens and closes between two readings is not seen. Guards are not read between
 * vmtap_stop() and vmtap_start(), nor in a child of fork() before its own vmtap_start().
 *
 * changed asks vmtap_poll(), with a state of its own, which guards of its object are open. It may
 * set flags, take locks and send signals to threads (pthread_kill), but must return soon, because
 * the stream pauses meanwhile; it must fire no probe, call no other function of this library, and
 * not wait for a thread that is in vmtap_stop() or fires events. All signals are blocked. With
 * without_thread, it is called in vmtap_turn(), and look_ms makes the descriptor readable.
 */
struct vmtap_change_options {
	size_t size; /* sizeof(struct vmtap_change_options) */
	void (*changed)(void *context);
	void *context;
	uint32_t look_ms; /* 0: 100 */
};

#ifdef __cplusplus
}
#endif

#include "vmtap_probes.h"

#ifdef VMTAP_DISABLE
#include <errno.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * For VMs whose code is not C: a JIT compiler, a runtime in another language
 * ----------------------------------------------------------------------------
 * Guest code tests the 32-bit word at VMTAP_GUARD(GC_START) and, when it is not zero, calls the
 * function VMTAP_FIRE(GC_START), passing the probe's arguments in the C calling convention (a
 * [name] as struct vmtap_name *, a text as const char *). In one object, both are always the same
 * pointers; they bring the site of that probe into the object. If probes are known only by their
 * numbers, vmtap_guard() and vmtap_fire() return the same pointers, or NULL for a number that is
 * not a probe. vmtap_fire() may be called for any probe, so it brings the sites of all.
 *
 * A compiled language links libvmtap.a and may test the probe's word itself, which is the global
 * variable vm_gc__start_semaphore for gc-start (32 bits, hidden), and call vmtap_fire_gc_start();
 * read the word as volatile. A language that only loads shared libraries loads libvmtap_ffi.so. It
 * has a probe part of its own, exports the functions of this section, and brings libvmtap.so. All
 * arguments of a probe must be passed, and nothing checks that; so the soname of this library
 * (libvmtap_ffi.so.1) changes whenever a probe gets more arguments. Load it by that name.
 */
typedef void (*vmtap_fire_function)(void);

/* Which guards are open, one bit per probe: probe p is bit p % 64 of open[p / 64]. */
/* Room for 256 probes, so that the struct stays the same as the contract grows. */
enum { VMTAP_POLL_WORDS = 4 };
struct vmtap_guards {
	uint64_t open[VMTAP_POLL_WORDS];
};

static inline int vmtap_poll_is_open(const struct vmtap_guards *state, enum vmtap_probe probe)
{
	return (state->open[probe / 64] >> (probe % 64) & 1) != 0;
}

#ifndef VMTAP_DISABLE

VMTAP_PART const uint32_t *vmtap_guard(enum vmtap_probe probe);
VMTAP_PART vmtap_fire_function vmtap_fire(enum vmtap_probe probe);

/* Returns the number of the probe with this name ("gc-start"), or -1. The name needs no NUL. */
VMTAP_PART int vmtap_probe_number(const char *name, size_t length);

/*
 * For languages whose strings have no NUL: returns a struct vmtap_name with a copy of the text, or
 * NULL if memory runs out. Make one for each class or method and keep it; do not make one for each
 * event. The text ends at its first NUL, if any. vmtap_name_free() frees it, or does nothing for
 * NULL; no thread may be passing it then.
 */
VMTAP_PART struct vmtap_name *vmtap_name_new(const char *text, size_t length);
VMTAP_PART void vmtap_name_free(struct vmtap_name *name);

/*
 * For a VM that has to install a hook before it can produce events. Updates *state (all zero
 * at first) and returns how many guards have opened or closed since the last call; *changed,
 * unless changed is NULL, says which. Reads a few cache lines: cheap enough for a safepoint.
 * May be called on any thread and in signal handlers, each with its own state. It sees the
 * guards of the object it is called in. The kernel calls nobody when a tracer comes, so a VM
 * asks.
 */
VMTAP_PART int vmtap_poll(struct vmtap_guards *state, struct vmtap_guards *changed);

/*
 * For a VM without a table of symbols: returns the one name of this text in the process, which is
 * made at the first call and kept for good. Any thread and signal handlers may call it; it takes no
 * lock. The same text gives the same pointer, and so the same id, even in a child of fork(). The
 * text is copied, up to its first 4000 bytes, and needs no NUL.
 *     VMTAP_METHOD_ENTRY(vmtap_name_intern(class, class_length), ...);
 * It looks the text up each time, in some 30 ns, but only while somebody listens, since a macro
 * evaluates its arguments only then. A VM that has an object for each method embeds a struct
 * vmtap_name there instead. For texts without limit use VMTAP_NAME_ONCE(). Interned names share the
 * room of options.name_bytes with the others; once that is used up, a new text gets the name "(no
 * room for names)". Belongs to the runtime part. Never returns NULL.
 */
VMTAP_API struct vmtap_name *vmtap_name_intern(const char *text, size_t length);

/*
 * Starts to serve clients: creates the socket and one thread, which sleeps until a
 * client comes and blocks every signal. With option without_thread it creates no thread, and the
 * VM calls vmtap_turn(). Unless options say otherwise, the socket is
 * $XDG_RUNTIME_DIR/vmtap/PID if that directory belongs to the process's effective user, else
 * /tmp/vmtap-UID/PID, or in /dev/shm or /var/tmp if /tmp cannot be used (directory 0700, socket
 * 0600). If a living process has that name, which is possible if processes of several pid
 * namespaces share the directory, it is PID.1 and so on. `vmtap trace -p PID` finds all of these.
 *
 * The environment is honoured unless the program is set-uid:
 *   - VMTAP_WAIT: if it is 1, or this process's pid, the call waits until a client has subscribed,
 *     so that no event is lost (`vmtap trace -c` does so). The call then changes it to 0, since
 *     programs that this process starts have no client to wait for. PID,tracer:TRACER waits for a
 *     subscription by process TRACER, as long as that lives. tracer:TRACER alone (`vmtap trace
 *     --follow` sets it) does so for ten seconds at most, and what this process starts does the
 *     same. (For children of fork() see "After fork()" above.)
 *   - VMTAP_SOCKET: a path for the socket; it takes precedence over the options.
 *   - VMTAP_LOG: a file for all events from the first one on. The call empties the file, and,
 *     unless the path contains %p, the variable too, so that programs that this process starts
 *     do not write to it.
 * In these paths and in options->socket, %p is replaced by the process's pid, and %% by %.
 *
 * If a living process serves the chosen socket already, as a forked worker's parent does, this
 * process serves its default socket instead. The socket of a dead process is replaced.
 *
 * With serve_children, every child of fork() begins with a socket and a thread. That is meant
 * for servers whose workers do not exec. A child that does exec, or that calls unshare() or
 * setns(), should be made with posix_spawn() or vfork(). Do not use it in a program that
 * forks in signal handlers.
 *
 * options may be NULL. Returns 0 or a negative errno: -EALREADY if already started; -EINVAL if
 * options->size is 0; -ENOSYS if everything is compiled out (VMTAP_DISABLE); -ENAMETOOLONG for a
 * path of more than 107 bytes; -EPERM, -ELOOP or -EEXIST because of what exists at the path; or the
 * system's error if the socket or the log cannot be created. The VM can continue after any error.
 *
 * Call it once the VM is ready for another thread, has changed to its final user, and has
 * closed inherited descriptors. Any thread may call it, but not a signal handler, and not
 * while another thread uses setenv(). It is not a cancellation point. The library keeps two
 * descriptors and one per client, never 0, 1 or 2, all close-on-exec; if the VM closes them,
 * the stream ends. If main() ends with pthread_exit(), the process lives until its last thread
 * ends, and the library's thread is one: the VM's last thread must call vmtap_stop() or exit().
 */
VMTAP_API int vmtap_start(const struct vmtap_options *options);

/*
 * Delivers what is in the rings, ends every client's stream in order, removes the socket and ends
 * the thread. Waits for slow clients as long as the options said, for lossless ones as long as each
 * takes a byte in that time. Later events are not recorded. exit() does the same, _exit() does not:
 * a process that ends with it, as workers do, must call vmtap_stop() first. Otherwise its last
 * events are lost, and clients can only report that its stream was not closed.
 *
 * Afterwards vmtap_start() may be called again. May be called on any thread, even if not started,
 * but not from a signal handler. Returns 0; or -EDEADLK, and does nothing, inside a census or in a
 * handler that has interrupted this thread's own start or stop. Not a cancellation point.
 */
VMTAP_API int vmtap_stop(void);

/*
 * Without a thread of the library's own (option without_thread)
 * --------------------------------------------------------------
 * For a VM that must stay single-threaded, or that has a loop of its own anyway. The VM waits in
 * its loop for the descriptor to become readable, among its others, and then calls vmtap_turn(),
 * which does what the library's thread would do: it accepts clients, opens and closes guards, and
 * sends events.
 *
 *     struct pollfd polled[] = {{.fd = vmtap_descriptor(), .events = POLLIN}, ...};
 *     while (poll(polled, count, timeout) >= 0) {
 *             if (polled[0].revents && vmtap_turn() == -EBADF)
 *                     polled[0].fd = -1;
 *             ...
 *     }
 *
 * vmtap_descriptor() returns the descriptor, or -EBADF if no stream is served in this way. Only
 * wait for it (poll, select, or an epoll instance of your own: level-triggered) and never read,
 * write or close it. It is valid until vmtap_stop(), so take it out of the loop before that. A
 * child of fork() has none until it calls vmtap_start(), or asks for its new one if serve_children
 * is set.
 *
 * It is readable only while there is something to do: never while no client is connected, fifty
 * times a second while one listens and nothing is fired, and every millisecond while events come. A
 * ring that is a quarter full makes it readable too. The sooner the VM takes its turn, the sooner
 * clients have their events. If it takes none for a long time, rings become full, events are
 * dropped and counted, and no client can connect; nothing else happens.
 *
 * vmtap_turn() returns 0 after a turn, or at once if none is due. It returns -EBUSY, and does
 * nothing, inside a census, and while another thread is in it or in vmtap_stop(), or moves the
 * contents of the rings in an event (see below); the descriptor stays readable meanwhile. It
 * returns -EBADF if no stream is served in this way, or if the stream had to be ended because the
 * program has closed the library's descriptors or a sandbox refuses what a turn needs. It never
 * waits for a client. It waits for another thread only while that registers something, such as an
 * object that it loads, which takes long only if a debugger stops that thread there. Any thread may
 * call it, but not a signal handler. It preserves errno, blocks all signals while it runs, and is
 * not a cancellation point. It calls wanted, and a census that is not polled.
 *
 * A thread that fires an event which a lossless client has no room for moves the contents of the
 * rings to the clients itself, and waits for that client, so it does not need the loop. Such an
 * event takes up to 8 KB of stack. vmtap_stop() and exit() send the rest on the thread that calls
 * them, and vmtap_start() takes turns itself while it waits for a client. vmtap_stop() and exit()
 * block signals there, except while they wait for a client.
 *
 * vmtap_start() fails with the system's error if epoll or timerfd is refused. In a sandbox that is
 * entered later, a turn needs what the library's thread needs (see above) and epoll_ctl,
 * epoll_wait, timerfd_settime, rt_sigprocmask, rt_sigpending and rt_sigtimedwait. Without epoll_ctl
 * or timerfd_settime every stream is ended in order. The library keeps three more descriptors than
 * with a thread.
 */
VMTAP_API int vmtap_descriptor(void);
VMTAP_API int vmtap_turn(void);

/*
 * Recovers this thread after a longjmp() out of a signal handler that had interrupted a macro, or
 * out of a macro whose argument could not be read: its events are recorded again. The event that
 * was left is lost and not counted. Does nothing if there is nothing to recover, so it may be
 * called after every such longjmp(). It costs one store. Do not call it if the interrupted macro
 * will continue.
 */
VMTAP_API void vmtap_thread_reset(void);

/*
 * Registers the process's census, replacing an earlier one; NULL removes it. May be called
 * before or after vmtap_start(). The options are copied. Returns 0; -EINVAL if size is 0, take
 * is missing or by is none of the above; -ENOTSUP in an extension that contains libvmtap.a, if the
 * executable exports its runtime and has no census in it: link the executable with
 * -Wl,-u,vmtap_census_register (the same holds for the functions below that register something).
 * A census that is running is not interrupted: it may still be running when this returns.
 */
VMTAP_API int vmtap_census_register(const struct vmtap_census_options *options);

/*
 * Removes the census and waits until neither it nor wanted is running on any thread, so that the
 * context can be freed and the code unloaded. Returns 0, or -EDEADLK, and does nothing, inside one
 * of them. Do not call it while holding a lock that they take. The same holds for the other
 * functions here that wait until a function of the VM's has returned.
 */
VMTAP_API int vmtap_census_unregister(void);

/*
 * Registers the function, replacing an earlier one; may be called before or after vmtap_start().
 * The options are copied. NULL removes it and waits until it runs on no thread, so that its code
 * can be unloaded. A child of fork() keeps it. Returns 0; -EINVAL if size is 0 or changed is
 * missing; -EDEADLK, and does nothing, for NULL inside changed or a census. Must not be called in
 * signal handlers.
 */
VMTAP_API int vmtap_on_change(const struct vmtap_change_options *options);

/* Nonzero if a sample waits for vmtap_census_take(). One load: cheap enough for a safepoint. */
VMTAP_API int vmtap_census_wanted(void);

/* Calls the census on this thread if a sample waits and no other thread is taking it. Returns 1 if
 * it has called it, otherwise 0. Must not be called in signal handlers. */
VMTAP_API int vmtap_census_take(void);

/*
 * Calls the census on this thread, whether or not a client has requested it: for a guest program
 * that asks for a sample. Returns 1, or 0 if there is no census or one is running. Must not be
 * called inside a census.
 */
VMTAP_API int vmtap_census_now(void);

/* Adds bytes to this label (UTF-8, cut at 4000 bytes; copied). Call it only inside a census, on its
 * thread. If memory runs out, the sample is lost and counted. */
VMTAP_API void vmtap_census_add(
	struct vmtap_census *census, const char *label, size_t length, uint64_t bytes);

/* The same for a number of objects that take these bytes together. */
VMTAP_API void vmtap_census_add_objects(struct vmtap_census *census, const char *label,
	size_t length, uint64_t bytes, uint64_t objects);

/*
 * Registers the walker with its context, replacing an earlier one; NULL removes it. Call it before
 * vmtap_start(): a client gets stacks only if there was a walker when it connected. Waits until no
 * thread is in the earlier walker, so that its code can be unloaded and its context freed. Returns
 * 0; -EDEADLK, and does nothing, inside a walker; -EBUSY, and does nothing, while another thread is
 * in this function. Must not be called in signal handlers. A child of fork() keeps the walker.
 */
VMTAP_API int vmtap_stack_register(vmtap_stack_walker walker, void *context);

/* Adds a frame; those for which there is no room are counted. A NULL name is shown as an empty one.
 * Call it only inside a walker, on its thread. */
VMTAP_API void vmtap_stack_frame(struct vmtap_stack *stack, struct vmtap_name *class_name,
	struct vmtap_name *method, struct vmtap_name *file, uint32_t line);

/*
 * The same for a walker that stops when there is no more room. Beware: it returns 1 if a further
 * frame has room, and 0, as other functions do for success, if none has. A walker that takes 0 for
 * success stops after its first frame.
 */
VMTAP_API int vmtap_stack_add(struct vmtap_stack *stack, struct vmtap_name *class_name,
	struct vmtap_name *method, struct vmtap_name *file, uint32_t line);

/*
 * Registers wanted and due, and chooses the signal, replacing earlier ones; only needed by VMs that
 * do not poll, or that use SIGURG. The options are copied. NULL removes them and waits until they
 * run on no thread. Returns 0; -EINVAL if size is 0; -EDEADLK, and does nothing, for NULL inside
 * wanted or a census. Must not be called in signal handlers.
 */
VMTAP_API int vmtap_sample_register(const struct vmtap_sample_options *options);

/* Nonzero if this OS thread should take a sample. The first call of a thread in a round of sampling
 * makes its timer. Any thread and signal handlers may call it. It preserves errno. */
VMTAP_API int vmtap_sample_wanted(void);

/* Marks the sample as taken and returns its weight. */
VMTAP_API uint64_t vmtap_sample_take(void);

/*
 * Counts bytes that this OS thread has allocated. Returns the bytes since its last sample if
 * another is due, otherwise 0. The distance of two samples is between half of the requested period
 * and one and a half.
 */
VMTAP_API uint64_t vmtap_sample_allocated(uint64_t bytes);

/* Nonzero if a dump of all threads waits. One load; any thread may call it. */
VMTAP_API int vmtap_dump_wanted(void);

/* Returns 1 if a dump waits, which the caller must then make; otherwise 0. */
VMTAP_API int vmtap_dump_take(void);

/* Returns what is sampled now. */
VMTAP_API enum vmtap_sample_unit vmtap_sample_unit(void);

/* Returns the version of the runtime part, in the form of VMTAP_VERSION; a static string. */
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

static inline int vmtap_probe_number(const char *name, size_t length)
{
	(void)name;
	(void)length;
	return -1;
}

static inline struct vmtap_name *vmtap_name_new(const char *text, size_t length)
{
	(void)text;
	(void)length;
	return 0;
}

static inline void vmtap_name_free(struct vmtap_name *name)
{
	(void)name;
}

static inline struct vmtap_name *vmtap_name_intern(const char *text, size_t length)
{
	(void)text;
	(void)length;
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
	return -ENOSYS;
}

static inline int vmtap_stop(void)
{
	return 0;
}

static inline int vmtap_descriptor(void)
{
	return -EBADF;
}

static inline int vmtap_turn(void)
{
	return -EBADF;
}

static inline void vmtap_thread_reset(void)
{
}

static inline int vmtap_census_register(const struct vmtap_census_options *options)
{
	(void)options;
	return 0;
}

static inline int vmtap_census_unregister(void)
{
	return 0;
}

static inline int vmtap_on_change(const struct vmtap_change_options *options)
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

static inline int vmtap_census_now(void)
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

static inline void vmtap_census_add_objects(struct vmtap_census *census, const char *label,
	size_t length, uint64_t bytes, uint64_t objects)
{
	(void)census;
	(void)label;
	(void)length;
	(void)bytes;
	(void)objects;
}

static inline int vmtap_stack_register(vmtap_stack_walker walker, void *context)
{
	(void)walker;
	(void)context;
	return 0;
}

static inline void vmtap_stack_frame(struct vmtap_stack *stack, struct vmtap_name *class_name,
	struct vmtap_name *method, struct vmtap_name *file, uint32_t line)
{
	(void)stack;
	(void)class_name;
	(void)method;
	(void)file;
	(void)line;
}

static inline int vmtap_stack_add(struct vmtap_stack *stack, struct vmtap_name *class_name,
	struct vmtap_name *method, struct vmtap_name *file, uint32_t line)
{
	(void)stack;
	(void)class_name;
	(void)method;
	(void)file;
	(void)line;
	return 0;
}

static inline int vmtap_sample_register(const struct vmtap_sample_options *options)
{
	(void)options;
	return 0;
}

static inline int vmtap_sample_wanted(void)
{
	return 0;
}

static inline uint64_t vmtap_sample_take(void)
{
	return 0;
}

static inline uint64_t vmtap_sample_allocated(uint64_t bytes)
{
	(void)bytes;
	return 0;
}

static inline int vmtap_dump_wanted(void)
{
	return 0;
}

static inline int vmtap_dump_take(void)
{
	return 0;
}

static inline enum vmtap_sample_unit vmtap_sample_unit(void)
{
	return VMTAP_SAMPLE_OWN;
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
