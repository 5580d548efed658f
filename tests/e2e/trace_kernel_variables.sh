#!/bin/bash
# Built-in variables at events of the kernel source: what the process says of itself is what they
# must be, also after it has changed.
# tests: src/kernel/bpf/bpf_current.c src/kernel/capture/cpu_time.c
set -u
. tests/e2e/common

need_kernel

cat >"$directory/variables.c" <<'C'
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

volatile uint64_t sink;

__attribute__((noinline)) void mark(uint64_t cpu_time, long number, void *frame)
{
	__asm__ volatile("" ::"r"(cpu_time), "r"(number), "r"(frame));
}

__attribute__((noinline)) void work(void)
{
	for (long i = 0; i < 100000; i++)
		sink += (uint64_t)i;
}

static uint64_t cpu_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int argc, char **argv)
{
	long count = atol(argv[argc - 1]);

	for (long i = 1; i <= count; i++) {
		mark(cpu_time(), i, __builtin_frame_address(0));
		work();
		if (i % 10 == 3)
			usleep(1000);
		if (i == count / 2 &&
			(prctl(PR_SET_NAME, "renamed") || setgid(1234) || setuid(4321)))
			return 1;
	}
	return 0;
}
C
$CC -O1 -fno-omit-frame-pointer -o "$directory/variables" "$directory/variables.c" || fail "compiling"

# The CPU clock is the thread's: it stands still while the thread sleeps, and is read after the
# program has read it. What a hypervisor takes may count for as long as a tick of the processor.
cat >"$directory/clock.d" <<'D'
BEGIN { last = (int64_t)0; near = 0; wrong = 0; back = 0; }
pid$target:a.out:mark:entry
{
	this->late = (int64_t)vtimestamp - (int64_t)arg0;
	near += this->late >= -2000 && this->late < 200000;
	wrong += this->late < -10000000 || this->late > 10000000;
	back += (int64_t)vtimestamp < last;
	last = vtimestamp;
}
END { printf("near %d wrong %d back %d\n", near, wrong, back); }
D
run 0 trace -q -s "$directory/clock.d" -c "$directory/variables 300"
has out '^near (2[5-9][0-9]|300) wrong 0 back 0$'

# The same where BPF programs carry out the clauses.
reduced() { # instructions that aggregate
	grep -q " $1 instructions that aggregate" "$directory/err" || fail "not all is carried out: $(cat "$directory/err")"
	! grep -q 'nothing is reduced' "$directory/err" || fail "$(cat "$directory/err")"
}
cat >"$directory/reduced.d" <<'D'
self int64_t last;
pid$target:a.out:mark:entry
{
	this->late = (int64_t)vtimestamp - (int64_t)arg0;
	@near = sum(this->late >= -2000 && this->late < 200000);
	@wrong = sum(this->late < -10000000 || this->late > 10000000);
	@back = sum((int64_t)vtimestamp < self->last);
	self->last = (int64_t)vtimestamp;
	@first = min(walltimestamp);
	@last = max(walltimestamp);
}
END { printa("near %@d", @near); printa(" wrong %@d", @wrong); printa(" back %@d\n", @back);
	printa("wall %@d", @first); printa(" %@d\n", @last); }
D
before=$(date +%s%N)
VMTAP_DEBUG=kernel run 0 trace -q -s "$directory/reduced.d" -c "$directory/variables 300"
after=$(date +%s%N)
has out '^near (2[5-9][0-9]|300) wrong 0 back 0$'
reduced 5
read -r _ first last < <(grep '^wall ' "$directory/out")
[ "$before" -le "$first" ] && [ "$first" -lt "$last" ] && [ "$last" -le "$after" ] ||
	fail "walltimestamp: $first to $last between $before and $after"
for reduce in yes no; do
	VMTAP_DEBUG=kernel run 0 trace -q -x reduce=$reduce -c "$directory/variables 20" -n 'pid$target:a.out:mark:entry
		/vtimestamp && ppid == $pid && curthread/ {
		@[execname, uid, gid, errno, ipl, uregs[R_RDI] == arg0, uregs[R_ESI], uregs[R_SP] < uregs[R_FP], ppid == pid] = count(); }'
	grep -E '^ ' "$directory/out" >"$directory/variables.$reduce"
	[ $reduce = no ] || reduced 1
done
[ -s "$directory/variables.yes" ] || fail "nothing is printed: $(cat "$directory/out")"
cmp "$directory/variables.yes" "$directory/variables.no" || fail "other variables when records are made"

# Names, users and the parent are those of the moment.
run 0 trace -q -c "$directory/variables 20" -n 'pid$target:a.out:mark:entry
	/arg1 == 1 || arg1 == 20/ { printf("%d %s %d %d %d %s\n", arg1, execname, uid, gid,
	ppid == $ppid, execargs); }' 2>/dev/null
has out "^1 variables $(id -u) $(id -g) [01] .*/variables 20$"
has out "^20 renamed 4321 1234 [01] .*/variables 20$"
"$directory/variables" 3 &
wait "$!"
run 0 trace -q -c "$directory/variables 1" -n 'pid$target:a.out:mark:entry { printf("%d %d", ppid, $pid); }'
has out '^([0-9]+) \1$'

# Registers by name and number; a register is what the calling convention has put there.
run 0 trace -q -c "$directory/variables 3" -n 'pid$target:a.out:mark:entry { printf("%d %d %d %d %d\n",
	uregs[R_RDI] == arg0, uregs[14] == arg0, uregs[R_ESI], uregs[R_FP] == arg2,
	uregs[R_PC] != 0 && uregs[R_SP] < uregs[R_FP]); }'
[ "$(grep -cE '^1 1 [123] 1 1$' "$directory/out")" = 3 ] || fail "registers: $(cat "$directory/out")"

# The caller of a user function; at a place in a process there is no stack of the kernel's.
run 0 trace -q -c "$directory/variables 1" -n 'pid$target:a.out:mark:entry { ufunc(ucaller);
	printf(" %d %d %d %d [", ustackdepth >= 2, caller, stackdepth, errno); stack(); printf("]\n"); }'
has out '^ *variables`main +1 0 0 0 \[$'
has out '^\]$'
# Its name is known though the program has ended when it is shown, and no stack is asked for.
# shellcheck disable=SC2016
for show in 'ufunc(ucaller);' '@[usym(ucaller)] = count();' 'printf("%A\n", ucaller);' \
	'@[ucaller] = count(); } END { printa("%A\n", @);'; do
	run 0 trace -q -c "$directory/variables 1" -n 'pid$target:a.out:mark:entry { '"$show }"
	has out '^ *variables`main(\+0x[0-9a-f]+)?( |$)'
done
exit 0
