/*
 * cpu_timer.h: the timers on the CPU clocks of the VM's threads, for samples by CPU time.
 *
 * Each thread that asks for samples makes a timer on its own CPU clock, so a thread that waits gets
 * no sample, and one that shares a CPU with others gets samples in proportion to its CPU time. When
 * the timer expires, a signal adds the period to what is due to that thread. The signal goes to the
 * thread itself, or to the library's thread if the VM's thread cannot take it: the VM handles this
 * signal itself, the thread blocks it, or nothing would bring the thread to a safepoint.
 *
 * Threads create their timers themselves, because they must not wait for the server. Both the
 * threads and the server delete them; a record's state says which of them may. POSIX timers are not
 * inherited by a child of fork().
 */
#ifndef VMTAP_SHIM_EXTRA_CPU_TIMER_H
#define VMTAP_SHIM_EXTRA_CPU_TIMER_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_timer_terms {
	uint64_t period;      /* ns */
	int signal;           /* as in struct vmtap_sample_options */
	bool signals_threads; /* a signal to the thread itself suffices: the VM polls, or has due()
			       */
	bool has_thread;      /* the caller is the library's thread, which blocks all signals */
};

/* ---- the server's side; only one thread at a time ---- */

/* Begins a round: from now on threads make timers. Returns false if no thread could get one. */
bool cpu_timer_begin(const struct cpu_timer_terms *terms);

/* Ends the round: deletes all timers, and gives the signal back to the program. */
void cpu_timer_end(void);

/* Between rounds: gives the signal back if that could not be done at the end of the round. */
void cpu_timer_settle(void);

/* After the last round: closes what rounds leave open. */
void cpu_timer_close(void);

/* Returns the descriptor that becomes readable when timers signal the library's thread, or -1. */
int cpu_timer_descriptor(void);

/* Takes those signals. Returns true if a thread has to be brought to a safepoint. */
bool cpu_timer_read(void);

/*
 * Call about ten times a second: checks whether the program now handles the signal itself. Once a
 * second, or after many threads have begun, also deletes the timers of threads that have ended,
 * since a user may have a limited number of them (RLIMIT_SIGPENDING), and finds threads that their
 * signals no longer reach. Returns true if threads have to be brought to a safepoint, where they
 * make new timers.
 */
bool cpu_timer_check(void);

/* Returns true if some thread has asked in vain for a timer in this round. */
bool cpu_timer_is_short(void);

/* Opens the descriptor if a thread needs it. Returns true like cpu_timer_check(). */
bool cpu_timer_help(void);

/* ---- any thread, also in signal handlers ---- */

/* Sets the VM's function that the signal handler calls; NULL: none. */
void cpu_timer_set_due(void (*due)(void *context), void *context);

/* Waits until that function runs on no thread. Must not be called in signal handlers. */
void cpu_timer_await_due(void);

/* Returns true if this thread has a timer in this round. Makes one if it has none. */
bool cpu_timer_serves(void);

/* Returns the CPU time for which this thread owes samples, in ns. */
uint64_t cpu_timer_due(void);

/* The same, and resets it to 0. Works also after the thread has lost its timer in this round. */
uint64_t cpu_timer_take(void);

/* Call in a child of fork(), also in a signal handler. */
void cpu_timer_fork_child(void);

#endif
