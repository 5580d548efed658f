/*
 * exception.h: raising and unwinding.
 */
#ifndef TOY_EXCEPTION_H
#define TOY_EXCEPTION_H

#include "thread.h"

/* An error object, made even when the heap is full. */
value exception_new(struct thread *thread, struct class *class, struct source_file *file, int line,
	const char *message);
/* Raises an error in the thread's top frame; natives return what this returns. */
__attribute__((format(printf, 3, 4))) enum native_status exception_raise(
	struct thread *thread, struct class *class, const char *format, ...);
/* The statement raise: raises an error, or makes one from a string. */
void exception_throw(struct thread *thread, value thrown);
/*
 * After thread->exception was set: drops frames until a handler is found, and makes the
 * thread continue there with the exception on its stack. Returns false if there is none.
 */
bool exception_unwind(struct capability *cap, struct thread *thread);
/* Tells the user about an exception that nobody caught. */
void exception_report(struct thread *thread);

#endif
