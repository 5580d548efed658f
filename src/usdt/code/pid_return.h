/*
 * pid_return.h: whether the kernel's return probe is safe for a function.
 *
 * The kernel's way (a uretprobe) is to replace the return address on the stack when the function
 * is entered. It is cheap, but whoever else uses that address breaks: measured on Linux 6.18, an
 * exception that passes the function ends the program, one of setjmp() too, cleanup handlers are
 * silently left out after pthread_exit(), coroutines run wrongly, and where the function is not
 * entered by a call, other data is overwritten. The other way is a breakpoint at each instruction
 * by which the function returns. It changes nothing on the stack, but costs as much as a
 * single step.
 */
#ifndef VMTAP_USDT_CODE_PID_RETURN_H
#define VMTAP_USDT_CODE_PID_RETURN_H

#include <stdbool.h>

/* Why the function of this name cannot have a return probe of either kind; NULL: it can. */
const char *pid_return_refusal(const char *function);

struct pid_return_danger {
	const char *reason; /* why a uretprobe is not safe; NULL: no reason is known */
	bool is_certain;    /* it breaks the program; else only a thread that ends early */
};

/*
 * module is the function's object by its file's name, leaves what all objects of the process say
 * together (CODE_THROWS..., code_object.h), own what its own object says.
 */
struct pid_return_danger pid_return_danger(
	const char *module, const char *function, unsigned leaves, unsigned own);

#endif
