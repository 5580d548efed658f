/*
 * backtrace.h: the frames of a guest thread: for the event stream, whose clients ask for stacks
 * with jstack(), and for guest programs (VM.backtrace). The two are independent of each other, so
 * that tests can compare them.
 */
#ifndef TOY_BACKTRACE_H
#define TOY_BACKTRACE_H

#include "native.h"

struct capability;

/* This OS thread runs a capability; NULL: it does not any more. */
void backtrace_attach(struct capability *cap);

/* The one that this OS thread runs, or NULL. Also in signal handlers. */
struct capability *backtrace_capability(void);

/* The walker shows this thread, not the one that the capability runs; NULL: that again. */
void backtrace_show(struct thread *thread);

/* Offers the walker to the library, before the stream starts. */
void backtrace_register(void);

/* Adds a line "Class#method (file:line)" for each frame of the thread, innermost first. */
void backtrace_text(struct text *text, struct thread *thread);

#endif
