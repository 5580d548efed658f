/*
 * unwind.h: the return addresses on a user stack, from a thread's registers and a copy of the
 * bytes at the top of its stack.
 *
 * Each function's frame is found by the call frame information of its file (.eh_frame and
 * .debug_frame, also the vdso's), so code needs no frame pointers. Where a pc has none, as in
 * the code of a JIT compiler, the frame pointer is followed if it looks like one.
 *
 * How the frames at a pc lie is remembered, so a stack like earlier ones costs some tens of
 * nanoseconds for each frame. Files are opened while the process lives, and read when a stack
 * first needs them.
 *
 * Registers, stack bytes and files belong to the traced process and may be made to harm their
 * reader. Whatever they contain, the work for a stack and the memory used are limited.
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_UNWIND_UNWIND_H
#define VMTAP_USDT_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct file_store;
struct usdt_unwind; /* for one process */
struct heard_code;
struct usdt_unwind_files; /* for all processes */

/* A thread at one moment. */
struct usdt_unwind_thread {
	uint16_t machine;          /* as in an ELF header; EM_X86_64 is known */
	size_t register_count;     /* x86-64: 21 */
	const uint64_t *registers; /* in the order of the kernel's struct pt_regs */
	/*
	 * The copied bytes. They should begin 128 bytes below the stack pointer, since a
	 * function may keep its caller's registers there; from the stack pointer on is nearly
	 * always enough.
	 */
	uint64_t stack_address;
	size_t stack_size;
	const void *stack;
};

enum usdt_unwind_end {
	USDT_UNWIND_OUTERMOST,      /* the last frame has no caller */
	USDT_UNWIND_NO_INFORMATION, /* nothing says how the last frame lies on the stack */
	USDT_UNWIND_STACK_CUT,      /* the caller lies outside the copied bytes */
	USDT_UNWIND_BAD_DATA,       /* registers, stack and unwind information do not agree */
	USDT_UNWIND_FULL            /* there may be more frames than were asked for */
};

/* What was found; the last pc is the one at which it ended. */
struct usdt_unwound {
	size_t count;
	enum usdt_unwind_end end;
};

/* What is known of files, each once for all processes that map it. NULL: out of memory. */
struct usdt_unwind_files *usdt_unwind_files_new(const struct heard_code *heard);
void usdt_unwind_files_free(struct usdt_unwind_files *files);

/* The store in which they are. For tests. */
const struct file_store *usdt_unwind_files_store(const struct usdt_unwind_files *files);

/*
 * Returns 0 or -ENOMEM. If the process cannot be examined, its stacks have one frame. The files
 * outlive it; with NULL it has its own.
 */
int usdt_unwind_new(pid_t pid, struct usdt_unwind_files *files, struct usdt_unwind **unwind);
void usdt_unwind_free(struct usdt_unwind *unwind);

/*
 * Stores the pcs of at most capacity frames, innermost first: the thread's pc, then return
 * addresses as they are on the stack. A return address is the instruction after the call, so
 * look up its symbol at the address minus 1. The pc that a signal interrupted is no return
 * address: it follows that of the signal's trampoline, and is looked up as it is.
 */
struct usdt_unwound usdt_unwind(struct usdt_unwind *unwind, const struct usdt_unwind_thread *thread,
	uint64_t *pcs, size_t capacity);

/* How a frame's caller is found from it, in the simplest case. */
struct usdt_unwind_step {
	bool is_outermost;     /* there is no caller; the rest is of no interest */
	bool by_frame_pointer; /* the CFA is counted from it, not from the stack pointer */
	bool saves_frame_pointer;
	int32_t cfa;           /* the CFA minus the pointer; the return address is right below it */
	int32_t frame_pointer; /* where the caller's is saved, minus the CFA */
};

/*
 * How the frames at a pc (of a caller: its return address - 1) were found in the last stack that
 * has such a frame. false: that is not so simple, or not remembered.
 */
bool usdt_unwind_step(const struct usdt_unwind *unwind, uint64_t pc, struct usdt_unwind_step *step);

/*
 * A number that changes whenever the process's mappings are read, since what was known may be wrong
 * then. Another struct usdt_unwind has another one.
 */
uint64_t usdt_unwind_generation(const struct usdt_unwind *unwind);

#endif
