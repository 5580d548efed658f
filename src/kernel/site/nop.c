/*
 * nop.c: see nop.h.
 *
 * The code of the trial is in a file in memory that no other process has mapped. The process that
 * runs it ("the subject") has two children. One holds the link, so that the subject need not wait
 * until the kernel has closed it. The other is forked while the site is attached to, and runs it,
 * too. All of them end by themselves, are killed when their parent ends, or are killed by an alarm.
 * They only make system calls, since the command may have threads. If the subject dies without an
 * answer, the kernel has damaged it.
 */
#include "kernel/site/nop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_features.h"

const char *kernel_nop_text(enum kernel_nop_answer answer)
{
	switch (answer) {
	case KERNEL_NOP_REFUSED:
		return "the kernel does not attach to the long nop";
	case KERNEL_NOP_TRAPS:
		return "the kernel does not turn the long nop into a call";
	case KERNEL_NOP_UNSAFE:
		return "the kernel turns the long nop into a call that damages programs";
	case KERNEL_NOP_SAFE:
		return "the kernel turns the long nop into a call";
	default:
		return "it is not known what the kernel does with the long nop";
	}
}

#if defined(__x86_64__)

enum {
	REGISTERS = 15, /* all but the stack pointer */
	STACK_WORDS = 16,
	HITS = 4,
	ANSWER_MS = 1000,
	ALARM_S = 2,
	DETACH_MS = 300,
	CODE_AT = 64, /* in the file; checks of indirect calls may read bytes before a function */
	CODE_ROOM = 4096
};

#define FLAGS UINT64_C(0xcd5) /* carry, parity, adjust, zero, sign, direction, overflow */

/*
 * State that the code stores after the site: flags, registers, the words below the stack pointer.
 */
struct nop_state {
	uint64_t flags; /* before and after */
	uint64_t registers[REGISTERS];
	uint64_t stack[STACK_WORDS];
};

/*
 * void run(struct nop_state *): fills the flags, the words below the stack pointer and the
 * registers, runs the site, and stores them all. Meanwhile the state's address is on the stack.
 */
#define NOP_CODE(name, nop)                                                                        \
	__asm__(".pushsection .text\n\t.balign 64\n" name "_begin:\n\t"                            \
		"endbr64\n\tpush %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\t"                  \
		"push %r14\n\tpush %r15\n\tpush %rdi\n\t"                                          \
		"pushq (%rdi)\n\tpopfq\n\t"                                                        \
		".set .Lword, 1\n\t.rept 16\n\tmovq $0x5a5a0000 + .Lword, -8 * .Lword(%rsp)\n\t"   \
		".set .Lword, .Lword + 1\n\t.endr\n\t"                                             \
		"mov $0x11110000, %eax\n\tmov $0x11110001, %ebx\n\tmov $0x11110002, %ecx\n\t"      \
		"mov $0x11110003, %edx\n\tmov $0x11110004, %esi\n\tmov $0x11110005, %edi\n\t"      \
		"mov $0x11110006, %ebp\n\tmov $0x11110007, %r8d\n\tmov $0x11110008, %r9d\n\t"      \
		"mov $0x11110009, %r10d\n\tmov $0x1111000a, %r11d\n\tmov $0x1111000b, %r12d\n\t"   \
		"mov $0x1111000c, %r13d\n\tmov $0x1111000d, %r14d\n\tmov $0x1111000e, %r15d\n\t"   \
		"nop\n" name "_site:\n\t" nop "\n\t"                                               \
		"xchg %rax, (%rsp)\n\t"                                                            \
		"mov %rbx, 16(%rax)\n\tmov %rcx, 24(%rax)\n\tmov %rdx, 32(%rax)\n\t"               \
		"mov %rsi, 40(%rax)\n\tmov %rdi, 48(%rax)\n\tmov %rbp, 56(%rax)\n\t"               \
		"mov %r8, 64(%rax)\n\tmov %r9, 72(%rax)\n\tmov %r10, 80(%rax)\n\t"                 \
		"mov %r11, 88(%rax)\n\tmov %r12, 96(%rax)\n\tmov %r13, 104(%rax)\n\t"              \
		"mov %r14, 112(%rax)\n\tmov %r15, 120(%rax)\n\t"                                   \
		".set .Lword, 1\n\t.rept 16\n\tmov -8 * .Lword(%rsp), %rbx\n\t"                    \
		"mov %rbx, 120 + 8 * .Lword(%rax)\n\t.set .Lword, .Lword + 1\n\t.endr\n\t"         \
		"pushfq\n\tpop %rbx\n\tmov %rbx, (%rax)\n\tcld\n\t"                                \
		"pop %rbx\n\tmov %rbx, 8(%rax)\n\t"                                                \
		"pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop "                 \
		"%rbx\n\tret\n" name "_end:\n\t.popsection")

NOP_CODE("kernel_nop_one", "nop");
NOP_CODE("kernel_nop_five", ".byte 0x0f, 0x1f, 0x44, 0, 0");
NOP_CODE("kernel_nop_ten", ".byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0");

extern const uint8_t kernel_nop_one_begin[], kernel_nop_one_site[], kernel_nop_one_end[];
extern const uint8_t kernel_nop_five_begin[], kernel_nop_five_site[], kernel_nop_five_end[];
extern const uint8_t kernel_nop_ten_begin[], kernel_nop_ten_site[], kernel_nop_ten_end[];

struct nop_trial {
	int program, hits, file, answer[2];
	uint64_t site; /* its offset in the file */
	unsigned bytes, flags;
	const uint8_t *code; /* the file as the process has mapped it */
	uint8_t original[16];
	pid_t parent;
};

/* ---- in the processes of the trial ---- */

/* Makes the process end with its parent. The command's signal handlers do not apply to it. */
static void begin_process(pid_t parent)
{
	static const int fatal[] = {
		SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGALRM, SIGTERM, SIGPIPE};
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		signal(fatal[i], SIG_DFL);
	signal(SIGINT, SIG_IGN); /* a terminal's Ctrl-C is for the command to handle */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(ALARM_S);
}

/*
 * Runs the site. Returns whether the registers, the flags and the words on the stack are unchanged.
 */
static bool runs(const struct nop_trial *trial, bool has_flags)
{
	void (*run)(struct nop_state *) =
		(void (*)(struct nop_state *))(uintptr_t)(trial->code + CODE_AT);
	uint64_t flags = has_flags ? FLAGS : 0;
	struct nop_state state = {.flags = flags};
	bool is_kept;

	run(&state);
	is_kept = (state.flags & FLAGS) == flags;
	for (unsigned i = 0; i < REGISTERS; i++)
		is_kept &= state.registers[i] == 0x11110000 + i;
	for (unsigned i = 0; i < STACK_WORDS; i++)
		is_kept &=
			state.stack[i] == 0x5a5a0001 + i || trial->flags & KERNEL_NOP_IGNORES_STACK;
	return is_kept;
}

static bool runs_often(const struct nop_trial *trial)
{
	bool is_kept = true;

	for (unsigned i = 0; i < HITS; i++)
		is_kept &= runs(trial, i & 1);
	return is_kept;
}

/* Returns how many times the program has run. */
static uint64_t count_hits(const struct nop_trial *trial)
{
	const uint32_t key = 0;
	uint64_t hits = UINT64_MAX;

	return bpf_map_get(trial->hits, &key, &hits) ? UINT64_MAX : hits;
}

/* Returns whether the kernel has made the nop a call, perhaps after moving the stack pointer. */
static bool is_call(const struct nop_trial *trial)
{
	const volatile uint8_t *site = trial->code + trial->site;

	if (trial->bytes == 1)
		return site[0] == 0xcc;
	return site[0] == 0xe8 || (trial->bytes == 10 && site[0] != 0xcc && site[5] == 0xe8);
}

static bool is_trap(const struct nop_trial *trial)
{
	return trial->bytes > 1 && *(const volatile uint8_t *)(trial->code + trial->site) == 0xcc;
}

static bool is_unchanged(const struct nop_trial *trial)
{
	return !memcmp(trial->code + trial->site, trial->original, trial->bytes);
}

/* Runs the site until the kernel has removed the call. */
static bool runs_until_detached(const struct nop_trial *trial)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	for (unsigned i = 0; i < DETACH_MS; i++) {
		if (!runs(trial, i & 1))
			return false;
		if (!is_call(trial))
			return runs_often(trial);
		nanosleep(&moment, NULL);
	}
	return false;
}

/* Waits until the other end of a pipe is closed. */
static void wait_for_end(int pipe)
{
	char byte;

	while (read(pipe, &byte, 1) > 0)
		;
}

/* Starts the child that holds the link until the pipe's other end is closed. */
static bool start_holder(const struct nop_trial *trial, int link, int *pipe_end)
{
	pid_t self = getpid(), holder;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return false;
	holder = fork();
	if (!holder) {
		begin_process(self);
		close(ends[1]);
		close(trial->answer[1]);
		wait_for_end(ends[0]);
		_exit(0);
	}
	close(ends[0]);
	close(link);
	*pipe_end = ends[1];
	return holder > 0;
}

/*
 * Returns whether a child that is forked while the site is a call is unharmed, and then both
 * processes when the site is detached from. The child reports through the pipe that it has run the
 * site.
 */
static bool lives_in_child(const struct nop_trial *trial, int *holder)
{
	pid_t self = getpid(), child;
	int ends[2], status;
	char byte;
	bool is_kept;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	child = fork();
	if (!child) {
		begin_process(self);
		close(*holder);
		close(ends[0]);
		is_kept = runs_often(trial) && write(ends[1], "", 1) == 1;
		_exit(is_kept && runs_until_detached(trial) ? 0 : 1);
	}
	close(ends[1]);
	if (child < 0 || read(ends[0], &byte, 1) != 1)
		return false;
	is_kept = runs_often(trial);
	close(*holder);
	*holder = -1;
	is_kept = is_kept && runs_until_detached(trial);
	return waitpid(child, &status, 0) == child && status == 0 && is_kept;
}

/*
 * The code is mapped after the link is made. If the kernel cannot attach to the site then, it only
 * leaves the nop unchanged; if it was mapped before, making the link would fail, and take 50 ms.
 */
static enum kernel_nop_answer try_site(struct nop_trial *trial)
{
	const uint64_t semaphore = 0, cookie = 0;
	char path[64];
	const struct bpf_sites sites = {.path = path,
		.offsets = &trial->site,
		.semaphores = &semaphore,
		.cookies = &cookie,
		.count = 1,
		.pid = (uint32_t)getpid()};
	bool is_kept;
	int link, holder;
	void *code;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", trial->file);
	link = bpf_attach_sites(trial->program, &sites);
	if (link < 0)
		return KERNEL_NOP_UNKNOWN;
	prctl(PR_SET_DUMPABLE, 0); /* a crash is not reported and dumps no core */
	if (!start_holder(trial, link, &holder))
		return KERNEL_NOP_UNKNOWN;
	code = mmap(NULL, CODE_ROOM, PROT_READ | PROT_EXEC, MAP_PRIVATE, trial->file, 0);
	if (code == MAP_FAILED)
		return KERNEL_NOP_UNKNOWN;
	trial->code = code;
	if (is_unchanged(trial))
		return KERNEL_NOP_REFUSED;
	is_kept = runs_often(trial) && count_hits(trial) == HITS;
	if (is_trap(trial))
		return KERNEL_NOP_TRAPS;
	return is_kept && is_call(trial) && lives_in_child(trial, &holder) ? KERNEL_NOP_SAFE
									   : KERNEL_NOP_UNSAFE;
}

static void be_subject(struct nop_trial *trial)
{
	uint8_t answer;

	begin_process(trial->parent);
	answer = (uint8_t)try_site(trial);
	_exit(write(trial->answer[1], &answer, 1) == 1 ? 0 : 1);
}

/* ---- in the command ---- */

/* Makes a file in memory with the code. */
static int make_file(struct nop_trial *trial, enum kernel_nop_form form)
{
	static const struct {
		const uint8_t *begin, *site, *end;
		unsigned bytes;
	} forms[] = {[KERNEL_NOP_FIVE] = {kernel_nop_five_begin, kernel_nop_five_site,
			     kernel_nop_five_end, 5},
		[KERNEL_NOP_TEN] = {kernel_nop_ten_begin, kernel_nop_ten_site, kernel_nop_ten_end,
			10},
		[KERNEL_NOP_ONE] = {
			kernel_nop_one_begin, kernel_nop_one_site, kernel_nop_one_end, 1}};
	const uint8_t *begin = forms[form].begin, *site = forms[form].site;
	size_t bytes = (size_t)(forms[form].end - begin);

	trial->bytes = forms[form].bytes;
	trial->site = CODE_AT + (uint64_t)(site - begin);
	memcpy(trial->original, site, trial->bytes);
	trial->file = (int)syscall(SYS_memfd_create, "vmtap-trial", 1U /* MFD_CLOEXEC */);
	if (trial->file < 0 || ftruncate(trial->file, CODE_ROOM) ||
		pwrite(trial->file, begin, bytes, CODE_AT) != (ssize_t)bytes)
		return -EIO;
	return 0;
}

/* Loads a program that counts. */
static int load_program(struct nop_trial *trial)
{
	struct bpf_code code;
	struct error ignored;

	trial->hits = bpf_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	if (trial->hits < 0)
		return trial->hits;
	bpf_code_begin(&code);
	bpf_set_map_value(&code, BPF_REG_1, trial->hits, 0);
	bpf_set(&code, BPF_REG_2, 1);
	bpf_atomic(&code, BPF_ADD, BPF_REG_1, 0, BPF_REG_2);
	bpf_set(&code, BPF_REG_0, 0);
	bpf_exit(&code);
	trial->program = bpf_code_end(&code);
	if (!trial->program)
		trial->program = bpf_load(code.instructions, code.count, BPF_MULTI, &ignored);
	bpf_code_free(&code);
	return trial->program < 0 ? trial->program : 0;
}

/* Reads the subject's answer. A subject that dies does not answer: the nop is unsafe. One that
 * takes too long is killed. */
static enum kernel_nop_answer read_answer(const struct nop_trial *trial, pid_t subject)
{
	struct pollfd wait = {.fd = trial->answer[0], .events = POLLIN};
	uint8_t byte = KERNEL_NOP_UNKNOWN;
	int ready;

	do
		ready = poll(&wait, 1, ANSWER_MS);
	while (ready < 0 && errno == EINTR);
	if (ready > 0 && read(trial->answer[0], &byte, 1) != 1)
		byte = KERNEL_NOP_UNSAFE;
	kill(subject, SIGKILL);
	while (waitpid(subject, NULL, 0) < 0 && errno == EINTR)
		;
	return (enum kernel_nop_answer)byte;
}

enum kernel_nop_answer kernel_nop_ask(
	const struct bpf_features *features, enum kernel_nop_form form, unsigned flags)
{
	struct nop_trial trial = {.program = -1,
		.hits = -1,
		.file = -1,
		.answer = {-1, -1},
		.flags = flags,
		.parent = getpid()};
	enum kernel_nop_answer answer = KERNEL_NOP_UNKNOWN;
	pid_t subject = -1;

	if (features->multi && !make_file(&trial, form) && !load_program(&trial) &&
		!pipe2(trial.answer, O_CLOEXEC))
		subject = fork();
	if (!subject)
		be_subject(&trial);
	if (trial.answer[1] >= 0)
		close(trial.answer[1]);
	if (subject > 0)
		answer = read_answer(&trial, subject);
	if (trial.answer[0] >= 0)
		close(trial.answer[0]);
	if (trial.program >= 0)
		close(trial.program);
	if (trial.hits >= 0)
		close(trial.hits);
	if (trial.file >= 0)
		close(trial.file);
	return answer;
}

#else

enum kernel_nop_answer kernel_nop_ask(
	const struct bpf_features *features, enum kernel_nop_form form, unsigned flags)
{
	(void)features;
	(void)form;
	(void)flags;
	return KERNEL_NOP_UNKNOWN;
}

#endif
