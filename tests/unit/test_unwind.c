/*
 * test_unwind.c: stacks of this process and of its children, unwound over copied bytes, must
 * be those that the compiler's own unwinder sees, or those that follow from the calls and returns
 * seen while single-stepping.
 */
#include <alloca.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "../tools/unwind_end.h"
#include "unit_main.h"
#include "usdt/process/address.h"
#include "usdt/unwind/unwind.h"

#ifndef __x86_64__
void unit_tests(TCase *tests)
{
	(void)tests;
	unit_skip("only x86-64 can be unwound");
}
#else

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

enum {
	FRAMES_MAX = 256,
	STACK_MAX = 256 << 10,
	RED_ZONE = 128,
	PT_REGS = 21 /* registers in pt_regs, which has the layout of user_regs_struct */
};

/* ---- copying a thread's registers and stack ---- */

struct copy {
	struct user_regs_struct registers;
	struct usdt_unwind_thread thread;
	uint8_t stack[STACK_MAX];
};

/* Copies at most size bytes from below the stack pointer on. */
static void copy_stack(struct copy *copy, pid_t pid, size_t size)
{
	char path[64];
	ssize_t got;
	int memory;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(memory, 0);
	got = pread(memory, copy->stack, size, (off_t)(copy->registers.rsp - RED_ZONE));
	ck_assert_int_gt(got, RED_ZONE);
	close(memory);
	copy->thread = (struct usdt_unwind_thread){.machine = EM_X86_64,
		.register_count = PT_REGS,
		.registers = (const uint64_t *)&copy->registers,
		.stack_address = copy->registers.rsp - RED_ZONE,
		.stack_size = (size_t)got,
		.stack = copy->stack};
}

static void copy_context(struct copy *copy, const ucontext_t *context)
{
	const greg_t *from = context->uc_mcontext.gregs;

#define REGISTER(name, place) copy->registers.name = (unsigned long long)from[REG_##place]
	REGISTER(r8, R8);
	REGISTER(r9, R9);
	REGISTER(r10, R10);
	REGISTER(r11, R11);
	REGISTER(r12, R12);
	REGISTER(r13, R13);
	REGISTER(r14, R14);
	REGISTER(r15, R15);
	REGISTER(rdi, RDI);
	REGISTER(rsi, RSI);
	REGISTER(rbp, RBP);
	REGISTER(rbx, RBX);
	REGISTER(rdx, RDX);
	REGISTER(rax, RAX);
	REGISTER(rcx, RCX);
	REGISTER(rsp, RSP);
	REGISTER(rip, RIP);
#undef REGISTER
	copy->registers.cs = 0x33;
}

/* ---- this process ---- */

static struct usdt_unwind *own;
static struct copy copied;
static uint64_t pcs[FRAMES_MAX];
static struct usdt_unwound unwound;
static struct witness {
	int count;
	uint64_t pcs[FRAMES_MAX];
} witness;
static volatile int ignored; /* keeps calls from being the last thing a function does */

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *argument)
{
	struct witness *frames = argument;
	uint64_t pc = _Unwind_GetIP(context);

	if (pc && frames->count < FRAMES_MAX)
		frames->pcs[frames->count++] = pc;
	return pc ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Unwinds the calling stack in both ways. */
static NOINLINE void capture(void)
{
	ucontext_t context;

	witness.count = 0;
	_Unwind_Backtrace(note_frame, &witness);
	getcontext(&context);
	copy_context(&copied, &context);
	copy_stack(&copied, getpid(), STACK_MAX);
	unwound = usdt_unwind(own, &copied.thread, pcs, FRAMES_MAX);
	ignored++;
}

/* The frames must be the same, except for the place within capture(). */
static void must_be_same(int at_least)
{
	ck_assert_int_ge(witness.count, at_least);
	for (size_t i = 1; i < unwound.count && i < (size_t)witness.count; i++)
		ck_assert_msg(pcs[i] == witness.pcs[i], "frame %zu is %" PRIx64 ", not %" PRIx64, i,
			pcs[i], witness.pcs[i]);
	ck_assert_uint_eq(unwound.count, (size_t)witness.count);
	ck_assert_int_eq(unwound.end, USDT_UNWIND_OUTERMOST);
}

static NOINLINE int recurse(int depth)
{
	int result;

	if (depth == 0) {
		capture();
		return 1;
	}
	result = recurse(depth - 1);
	ignored++;
	return result + depth;
}

START_TEST(recursion)
{
	ck_assert_int_eq(recurse(50), 50 * 51 / 2 + 1);
	must_be_same(50);
	/* from the cache */
	for (int i = 0; i < 3; i++) {
		recurse(i * 20);
		must_be_same(i * 20);
	}
}
END_TEST

static NOINLINE int compare(const void *a, const void *b)
{
	int result = *(const int *)a - *(const int *)b;

	if (*(const int *)a == 7 || *(const int *)b == 7)
		recurse(3);
	ignored++;
	return result;
}

START_TEST(callback)
{
	int numbers[100];

	for (int i = 0; i < 100; i++)
		numbers[i] = (i * 37) % 100;
	qsort(numbers, 100, sizeof(numbers[0]), compare);
	must_be_same(6);
}
END_TEST

static void on_signal(int number)
{
	(void)number;
	recurse(3);
	ignored++;
}

static NOINLINE void raise_signal(void)
{
	raise(SIGUSR1);
	ignored++;
}

START_TEST(signal_handler)
{
	struct sigaction action = {.sa_handler = on_signal};

	sigaction(SIGUSR1, &action, NULL);
	raise_signal();
	must_be_same(8);
}
END_TEST

/* The handler has a stack of its own; the interrupted one was not copied. */
START_TEST(signal_stack)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	size_t size = 512 << 10;
	stack_t stack = {.ss_sp = malloc(size), .ss_size = size}, off = {.ss_flags = SS_DISABLE};

	ck_assert_int_eq(sigaltstack(&stack, NULL), 0);
	sigaction(SIGUSR1, &action, NULL);
	raise_signal();
	sigaltstack(&off, NULL);
	free(stack.ss_sp);
	/* capture, 4 times recurse, on_signal, the trampoline, raise's innermost */
	ck_assert_uint_eq(unwound.count, 8);
	for (size_t i = 1; i < unwound.count; i++)
		ck_assert_uint_eq(pcs[i], witness.pcs[i]);
	ck_assert_int_eq(unwound.end, USDT_UNWIND_STACK_CUT);
}
END_TEST

static NOINLINE int with_alloca(size_t size)
{
	char *block = alloca(size);

	memset(block, 1, size);
	recurse(2);
	ignored += block[size - 1];
	return block[0];
}

/* The compiler must align the stack itself, and reaches its arguments by another register. */
static NOINLINE int with_alignment(size_t size, int a, int b, int c, int d, int e, int f, int g)
{
	_Alignas(128) volatile char aligned[256];
	char *block = alloca(size);

	memset(block, 1, size);
	aligned[0] = (char)(a + b + c + d + e + f + g);
	recurse(2);
	ignored += aligned[0] + block[size - 1];
	return aligned[0];
}

START_TEST(stack_sizes)
{
	for (size_t size = 1; size < 10000; size = size * 3 + 1) {
		with_alloca(size);
		must_be_same(5);
		ck_assert_int_eq(with_alignment(size, 1, 2, 3, 4, 5, 6, 7), 28);
		must_be_same(5);
	}
}
END_TEST

/* With fewer bytes of the stack the same frames are found, as far as they reach. */
START_TEST(cut_stack)
{
	uint64_t cut[FRAMES_MAX];
	size_t longest = 0;

	recurse(30);
	must_be_same(30);
	for (size_t size = 0; size < copied.thread.stack_size; size += 8) {
		struct usdt_unwind_thread thread = copied.thread;
		struct usdt_unwound found;
		thread.stack_size = size;
		found = usdt_unwind(own, &thread, cut, FRAMES_MAX);
		ck_assert_uint_ge(found.count, longest);
		ck_assert_uint_le(found.count, unwound.count);
		longest = found.count;
		for (size_t i = 0; i < found.count; i++)
			ck_assert_uint_eq(cut[i], pcs[i]);
		if (found.end == USDT_UNWIND_OUTERMOST)
			break;
		ck_assert_int_eq(found.end, USDT_UNWIND_STACK_CUT);
	}
	ck_assert_uint_eq(longest, unwound.count);
	/* Nothing below the stack pointer is needed in the middle of a function. */
	copied.thread.stack = copied.stack + RED_ZONE;
	copied.thread.stack_address += RED_ZONE;
	copied.thread.stack_size -= RED_ZONE;
	ck_assert_uint_eq(usdt_unwind(own, &copied.thread, cut, FRAMES_MAX).count, unwound.count);
	ck_assert_int_eq(usdt_unwind(own, &copied.thread, cut, 5).end, USDT_UNWIND_FULL);
}
END_TEST

/* Whatever registers and stack contain, unwinding ends. */
START_TEST(damaged_bytes)
{
	uint64_t found[FRAMES_MAX];
	unsigned seed = 1;

	raise_signal();
	for (int i = 0; i < 20000; i++) {
		struct copy *damaged = &copied;
		size_t used = damaged->thread.stack_size < 4096 ? damaged->thread.stack_size : 4096;
		size_t at = (size_t)rand_r(&seed) % (used / 8) * 8;
		uint64_t word, old;
		memcpy(&old, damaged->stack + at, 8);
		word = i % 3 ? old + (uint64_t)(rand_r(&seed) % 64) - 32
			     : (uint64_t)rand_r(&seed) << 33 | (uint64_t)rand_r(&seed);
		memcpy(damaged->stack + at, &word, 8);
		ck_assert_uint_le(
			usdt_unwind(own, &damaged->thread, found, FRAMES_MAX).count, FRAMES_MAX);
		if (i % 8)
			memcpy(damaged->stack + at, &old, 8);
		if (i % 100 == 0)
			raise_signal();
	}
}
END_TEST

/* ---- code without unwind information ---- */

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t with_frame_pointer[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
/* sub $24, %rsp; call *%rdi; add $24, %rsp; ret */
static const uint8_t without_frame_pointer[] = {
	0x48, 0x83, 0xec, 0x18, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0x18, 0xc3};

static void *make_code(const uint8_t *bytes, size_t size)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(code, MAP_FAILED);
	memcpy(code, bytes, size);
	ck_assert_int_eq(mprotect(code, 4096, PROT_READ | PROT_EXEC), 0);
	return code;
}

typedef void thunk(void (*function)(void));

static NOINLINE void call_through(void *code)
{
	((thunk *)(uintptr_t)code)(capture);
	ignored++;
}

static uint64_t caller_of_thunk;

static NOINLINE void through_thunk(void *code)
{
	call_through(code);
	caller_of_thunk = (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0));
	ignored++;
}

/* The code appears after the mappings were read. */
START_TEST(frame_pointers)
{
	uint8_t *code;

	usdt_unwind_free(own);
	ck_assert_int_eq(usdt_unwind_new(getpid(), NULL, &own), 0);
	code = make_code(with_frame_pointer, sizeof(with_frame_pointer));
	through_thunk(code);
	ck_assert_uint_ge(unwound.count, 5);
	ck_assert_uint_eq(pcs[1], (uintptr_t)code + 6);
	ck_assert_uint_eq(pcs[4], caller_of_thunk);
	ck_assert_int_eq(unwound.end, USDT_UNWIND_OUTERMOST);
	munmap(code, 4096);
}
END_TEST

START_TEST(no_information)
{
	uint8_t *code = make_code(without_frame_pointer, sizeof(without_frame_pointer));
	struct copy *copy = &copied;

	through_thunk(code);
	/* What rbp contains now depends on the compiler; so make it no frame pointer. */
	for (int i = 0; i < 2; i++) {
		copy->registers.rip = (uintptr_t)code + 4;
		copy->registers.rbp = i ? copy->registers.rsp + 1 : 0;
		unwound = usdt_unwind(own, &copy->thread, pcs, FRAMES_MAX);
		ck_assert_uint_eq(unwound.count, 1);
		ck_assert_uint_eq(pcs[0], (uintptr_t)code + 4);
		ck_assert_int_eq(unwound.end, USDT_UNWIND_NO_INFORMATION);
	}
	munmap(code, 4096);
}
END_TEST

START_TEST(other_machines)
{
	struct usdt_unwind_thread thread;

	recurse(1);
	thread = copied.thread;
	thread.machine = EM_AARCH64;
	unwound = usdt_unwind(own, &thread, pcs, FRAMES_MAX);
	ck_assert_uint_eq(unwound.count, 0);
	ck_assert_int_eq(unwound.end, USDT_UNWIND_NO_INFORMATION);
	/* 32-bit code */
	copied.registers.cs = 0x23;
	unwound = usdt_unwind(own, &copied.thread, pcs, FRAMES_MAX);
	ck_assert_uint_eq(unwound.count, 1);
	ck_assert_int_eq(unwound.end, USDT_UNWIND_NO_INFORMATION);
}
END_TEST

/* ---- another process ---- */

static void get_registers(pid_t pid, struct copy *copy)
{
	ck_assert_int_eq(ptrace(PTRACE_GETREGS, pid, NULL, &copy->registers), 0);
}

static uint64_t peek(pid_t pid, uint64_t address)
{
	return (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (void *)(uintptr_t)address, NULL);
}

/* The return addresses of the calls that have not returned yet, the innermost one last. */
struct calls {
	size_t count;
	uint64_t addresses[FRAMES_MAX];
};

/* Compares what is unwound with the calls, and these with what the witness saw before. */
static void must_be_calls(struct usdt_unwind *unwind, struct copy *copy, const struct calls *calls)
{
	uint64_t found[FRAMES_MAX];
	struct usdt_unwound result = usdt_unwind(unwind, &copy->thread, found, FRAMES_MAX);

	for (size_t i = 1; i < result.count && i <= calls->count; i++)
		ck_assert_msg(found[i] == calls->addresses[calls->count - i],
			"at %llx, frame %zu is %" PRIx64 ", not %" PRIx64, copy->registers.rip, i,
			found[i], calls->addresses[calls->count - i]);
	ck_assert_msg(result.count == calls->count + 1 && result.end == USDT_UNWIND_OUTERMOST,
		"at %llx there are %zu frames, not %zu; %s", copy->registers.rip, result.count,
		calls->count + 1, unwind_end_text(result.end));
}

/* Notes the call or return that the step from the old registers to the new ones was. */
static void follow(struct calls *calls, pid_t pid, const struct user_regs_struct *old,
	const struct user_regs_struct *new, uint64_t old_top)
{
	if (new->rsp == old->rsp - 8 && new->rip - old->rip > 15) {
		ck_assert_uint_lt(calls->count, FRAMES_MAX);
		calls->addresses[calls->count++] = peek(pid, new->rsp);
	} else if (new->rsp > old->rsp &&new->rip == old_top && calls->count &&
		calls->addresses[calls->count - 1] == old_top) {
		calls->count--;
	}
}

/* Notes that a signal has interrupted the old pc; the handler returns to the trampoline. */
static void follow_signal(struct calls *calls, pid_t pid, const struct user_regs_struct *old,
	const struct user_regs_struct *new)
{
	ck_assert_uint_lt(calls->count + 1, FRAMES_MAX);
	calls->addresses[calls->count++] = old->rip;
	calls->addresses[calls->count++] = peek(pid, new->rsp);
}

struct stepped {
	struct witness callers;
};

static int number_compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Uses so many registers that all that a function must preserve are saved and restored. */
static NOINLINE long many_registers(long a, long b, long c, long d, long e, long f)
{
	long g = a * b, h = c * d, i = e * f, j = a + f, k = b + e, l = c + d;

	for (int n = 0; n < 3; n++) {
		ignored++;
		g += h * ignored;
		h += i ^ j;
		i += k;
		j += l;
		k ^= g;
		l += number_compare(&(int){(int)a}, &(int){(int)b});
	}
	if (g == 0)
		return recurse(1);
	return g + h + i + j + k + l + a + b + c + d + e + f;
}

static NOINLINE long two_ends(long a, long b)
{
	if (a < b) {
		ignored += (int)many_registers(a, b, a, b, a, b);
		return ignored;
	}
	with_alloca((size_t)(a - b) + 100);
	return ignored * a;
}

static NOINLINE void work(void)
{
	int numbers[] = {5, 3, 8, 1, 9, 2};
	char text[100];
	struct timespec now;
	void *block;

	ignored += (int)two_ends(1, 2);
	ignored += (int)many_registers(1, 2, 3, 4, 5, 6);
	qsort(numbers, 6, sizeof(numbers[0]), number_compare);
	snprintf(text, sizeof(text), "%d %s %.3f", 17, "text", 1.5 * ignored);
	clock_gettime(CLOCK_MONOTONIC, &now);
	block = malloc(100);
	ck_assert_ptr_nonnull(block);
	memset(block, 1, 100);
	free(block);
	ignored += (int)strlen(text) + (int)strtol(text, NULL, 10) + (int)time(NULL);
}

static void on_injected(int number)
{
	ignored += number;
}

static NOINLINE void be_stepped(struct stepped *stepped)
{
	signal(SIGUSR2, on_injected);
	_Unwind_Backtrace(note_frame, &stepped->callers);
	raise(SIGSTOP);
	work();
	ignored++;
}

/*
 * Steps through all instructions of a child's work, in code of this program, of the dynamic
 * linker, of libc and of the vdso; at each one the stack must be right. Signals interrupt some
 * of the instructions, so they are also seen from the handler.
 */
START_TEST(each_instruction)
{
	struct stepped *stepped = mmap(
		NULL, sizeof(*stepped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct user_regs_struct old;
	struct usdt_unwind *unwind;
	struct calls calls = {0};
	size_t steps = 0, signals = 0, depth_at_start,
	       interrupted = 0; /* the calls then, if not 0 */
	uint64_t old_top, old_pc = 0;
	pid_t child;
	int status;

	ck_assert_ptr_ne(stepped, MAP_FAILED);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		be_stepped(stepped);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFSTOPPED(status));
	ck_assert_int_eq(usdt_unwind_new(child, NULL, &unwind), 0);
	/* The calls within raise() are known by unwinding, all others also by the witness. */
	get_registers(child, &copied);
	copy_stack(&copied, child, STACK_MAX);
	unwound = usdt_unwind(unwind, &copied.thread, pcs, FRAMES_MAX);
	ck_assert_int_eq(unwound.end, USDT_UNWIND_OUTERMOST);
	ck_assert_uint_gt(unwound.count, (size_t)stepped->callers.count);
	for (size_t i = 1; i < (size_t)stepped->callers.count; i++)
		ck_assert_uint_eq(pcs[unwound.count - i],
			stepped->callers.pcs[(size_t)stepped->callers.count - i]);
	for (size_t i = unwound.count; i-- > 1;)
		calls.addresses[calls.count++] = pcs[i];
	depth_at_start = (size_t)stepped->callers.count - 1;
	/* until be_stepped() returns */
	while (calls.count >= depth_at_start) {
		bool inject = !interrupted && steps % 41 == 40;
		old = copied.registers;
		old_top = peek(child, old.rsp);
		ck_assert_int_eq(
			ptrace(PTRACE_SINGLESTEP, child, NULL, inject ? (long)SIGUSR2 : 0L), 0);
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_msg(WIFSTOPPED(status), "the child ended after %zu steps", steps);
		get_registers(child, &copied);
		if (inject) {
			interrupted = calls.count;
			old_pc = old.rip;
			signals++;
			follow_signal(&calls, child, &old, &copied.registers);
		} else if (interrupted && calls.count == interrupted + 1 &&
			copied.registers.rip == old_pc) {
			calls.count = interrupted; /* the trampoline has returned */
			interrupted = 0;
		} else {
			follow(&calls, child, &old, &copied.registers, old_top);
		}
		copy_stack(&copied, child, 16 << 10);
		must_be_calls(unwind, &copied, &calls);
		steps++;
	}
	ck_assert_uint_gt(steps, 5000);
	ck_assert_uint_gt(signals, 50);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	usdt_unwind_free(unwind);
	munmap(stepped, sizeof(*stepped));
}
END_TEST

/* An interpreter without frame pointers, as a distribution builds it. */
START_TEST(python)
{
	static const char program[] =
		"import os, signal\n"
		"def f(n):\n"
		"    return list(map(f, [n - 1])) if n else os.kill(os.getpid(), signal.SIGSTOP)\n"
		"f(3)\n";
	struct usdt_addresses *addresses;
	struct usdt_unwind *unwind;
	struct symbol symbol;
	bool is_complete = false;
	int status;
	pid_t child = fork();

	ck_assert_int_ge(child, 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execlp("python3", "python3", "-c", program, NULL);
		_exit(127);
	}
	/* It also stops after each exec; python3 may be a script that starts another one. */
	for (;;) {
		int number;
		ck_assert_int_eq(waitpid(child, &status, 0), child);
		ck_assert_msg(WIFSTOPPED(status), "no python3");
		number = WSTOPSIG(status);
		if (number == SIGSTOP)
			break;
		ptrace(PTRACE_CONT, child, NULL, number == SIGTRAP ? 0L : (long)number);
	}
	ck_assert_int_eq(usdt_unwind_new(child, NULL, &unwind), 0);
	ck_assert_int_eq(usdt_addresses_new(child, NULL, &addresses), 0);
	get_registers(child, &copied);
	copy_stack(&copied, child, STACK_MAX);
	/* The files are open, so they can also be read now. */
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	unwound = usdt_unwind(unwind, &copied.thread, pcs, FRAMES_MAX);
	ck_assert_uint_ge(unwound.count, 10);
	ck_assert_int_eq(unwound.end, USDT_UNWIND_OUTERMOST);
	for (size_t i = 1; i < unwound.count; i++)
		is_complete |= usdt_addresses_find(addresses, pcs[i] - 1, &symbol) &&
			symbol.function && strstr(symbol.function, "__libc_start_main");
	ck_assert(is_complete);
	usdt_addresses_free(addresses);
	usdt_unwind_free(unwind);
}
END_TEST

START_TEST(ended_process)
{
	struct usdt_unwind *unwind;
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
	ck_assert_int_eq(usdt_unwind_new(child, NULL, &unwind), 0);
	recurse(2);
	copied.registers.rbp = 0;
	unwound = usdt_unwind(unwind, &copied.thread, pcs, FRAMES_MAX);
	ck_assert_uint_eq(unwound.count, 1);
	ck_assert_int_eq(unwound.end, USDT_UNWIND_NO_INFORMATION);
	usdt_unwind_free(unwind);
}
END_TEST

static void open_own(void)
{
	ck_assert_int_eq(usdt_unwind_new(getpid(), NULL, &own), 0);
}

static void close_own(void)
{
	usdt_unwind_free(own);
}

void unit_tests(TCase *tests)
{
	unit_in_one_process();
	tcase_add_unchecked_fixture(tests, open_own, close_own);
	tcase_set_timeout(tests, 120);
	tcase_add_test(tests, recursion);
	tcase_add_test(tests, callback);
	tcase_add_test(tests, signal_handler);
	tcase_add_test(tests, signal_stack);
	tcase_add_test(tests, stack_sizes);
	tcase_add_test(tests, cut_stack);
	tcase_add_test(tests, damaged_bytes);
	tcase_add_test(tests, frame_pointers);
	tcase_add_test(tests, no_information);
	tcase_add_test(tests, other_machines);
	tcase_add_test(tests, each_instruction);
	tcase_add_test(tests, python);
	tcase_add_test(tests, ended_process);
}
#endif
