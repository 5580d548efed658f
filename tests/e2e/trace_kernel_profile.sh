#!/bin/bash
# Provider profile: samples of what runs on each processor, against programs whose functions are known.
# tests: src/kernel/machine/profile_source.c
set -u
. tests/e2e/common

"$VMTAP" trace -l -P profile >"$directory/out" 2>"$directory/err" </dev/null
if grep -q 'allows no BPF program' "$directory/err"; then
	has out ' profile +tick-1$' # what needs no kernel is listed all the same
	run 3 trace -n 'profile-97 { }'
	has err '^vmtap: the kernel allows no BPF program: it needs the capabilities CAP_BPF and CAP_PERFMON'
	echo "the kernel allows no BPF program"
	exit 77
fi

cat >"$directory/sampled.c" <<'C'
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

volatile uint64_t sink;

__attribute__((noinline)) void burn(void)
{
	for (long i = 0; i < 100000; i++)
		sink += (uint64_t)i;
}

__attribute__((noinline)) void outer(void)
{
	burn();
	__asm__ volatile("");
}

/* Burns that many seconds of CPU time, or with another argument calls the kernel all the time. */
int main(int argc, char **argv)
{
	double end = atof(argv[1]);
	struct timespec time = {0};
	char byte;
	FILE *zero = fopen("/dev/zero", "r");

	while ((double)time.tv_sec + (double)time.tv_nsec / 1e9 < end) {
		if (argc == 2)
			outer();
		else
			for (int i = 0; i < 1000 && read(fileno(zero), &byte, 1) == 1; i++)
				;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	}
	return 0;
}
C
$CC -O1 -fomit-frame-pointer -o "$directory/sampled" "$directory/sampled.c" || fail "compiling"
sampled=$directory/sampled

# One sample for each 1/997 s of CPU time, not more; in the function that runs; with its whole stack.
# A machine that others keep busy may take away some.
cat >"$directory/count.d" <<'D'
profile-997
/pid == $target/
{
	@all = count();
	@in[arg1 && !arg0 ? "process" : arg0 && !arg1 ? "kernel" : "both"] = count();
	@by[ufunc(arg1)] = count();
	@stacks[ustack()] = count();
	@who[execname, pid == $target, tid == pid, uid, execargs] = count();
}
END { printa("all %@d\n", @all); printa("%s %@d\n", @in); printa(@by); printa(@stacks); printa("%s %d %d %d %s\n", @who); }
D
run 0 trace -q -s "$directory/count.d" -c "$sampled 2"
all=$(sed -n 's/^all //p' "$directory/out")
[ "$all" -ge 800 ] && [ "$all" -le 2200 ] || fail "$all samples of 2 s at 997 Hz"
mostly() {
	[ "$1" -ge $((all * 8 / 10)) ] || fail "$2: $1 of $all samples"
}
mostly "$(sed -n 's/^process //p' "$directory/out")" "in the process"
has_not() { ! grep -qE "$1" "$directory/out" || fail "'$1' in $(cat "$directory/out")"; }
has_not '^both '
mostly "$(awk '$1 == "sampled`burn" && NF == 2 { print $2 }' "$directory/out")" "in burn()"
mostly "$(awk '/sampled`burn\+/ { burn = NR } /sampled`outer\+/ && NR == burn + 1 { outer = NR }
	/sampled`main\+/ && NR == outer + 1 { main = NR } /sampled`_start\+/ { start = NR }
	NF == 1 && /^ *[0-9]+$/ { if (main && start > main) sum += $1; main = start = 0 }
	END { print sum + 0 }' "$directory/out")" "with the whole stack"
has out "^sampled 1 1 $(id -u) $sampled 2\$"

# A process in the kernel: where, and its own stack.
run 0 trace -q -c "$sampled 1 kernel" -n 'profile-997 /pid == $target && arg0/ { @ = count();
	@user[arg1] = count(); @stacks[stack(), ustack()] = count(); @at[func(arg0)] = count(); }
	END { printa("kernel %@d\n", @); printa("user %d\n", @user); printa(@stacks); }'
count=$(sed -n 's/^kernel //p' "$directory/out")
[ "${count:-0}" -ge 50 ] || fail "$count samples in the kernel"
has out '^user 0$'
has out '^ +libc.so.6`read\+'
has out '^ +sampled`main\+'

# Without a target, all processes are sampled, each as itself; a tick ends it, on time among samples.
"$sampled" 600 &
pids+=("$!")
other=$!
run 0 trace -q -n 'BEGIN { self->x = 0; last = timestamp; back = 0; }
	profile-199 { @[pid, execname, execargs] = count(); back += timestamp < last; last = timestamp; }
	profile-199 /pid == '"$other"'/ { seen = 1; }
	tick-10ms { back += timestamp < last; last = timestamp; }
	tick-1s /seen/ { printf("back %d\n", back); exit(0); }'
has out '^back 0$'
has out " $other +sampled +$sampled 600 +[0-9]+\$"
# with -p that process need not serve anything; a sample may read its strings
for reduce in yes no; do
	run 0 trace -q -x reduce=$reduce -p "$other" -n 'profile-10ms /pid == $target && copyinstr(arg1, 8) == copyinstr(arg1, 8)/ {
			@[execname, strlen(copyinstr(arg1)) < 256] = count(); }
		profile-10ms /pid == $target && ++samples == 9/ { seen = 1; }
		tick-10ms /seen/ { exit(0); }'
	has out '^ *sampled +1 +[0-9]+$'
done
# it ends with the process
"$sampled" 1 &
ending=$!
run 0 trace -q -p "$ending" -n 'profile-5000us /pid == $target/ { @ = count(); }'
has out '^ +[0-9]+$'
wait "$ending"
kill "$other"

# What a command starts is sampled, too.
run 0 trace --follow -q -c "sh -c '$sampled 1; true'" -n 'profile-97 /execname == "sampled"/ { @ = count(); }'
has out '^ +[1-9][0-9]*$'

# Beside a stream, and beside other probes of the kernel's.
run 0 trace -q -o "$directory/both" -c "$TOY examples/toy/programs/queens.toy" \
	-n 'vm$target:::method-entry { @m = count(); } profile-997 /pid == $target/ { @p = count(); }
	END { printa("entries %@d\n", @m); printa("samples %@d\n", @p); }'
grep -q '^entries [1-9]' "$directory/both" || fail "beside a stream: $(cat "$directory/both")"
run 0 trace -q -c "$sampled 1" -n 'pid$target:sampled:outer:entry { self->n++; @n = count(); }
	profile-97 /pid == $target && self->n/ { @p = count(); }
	END { printa("entries %@d\n", @n); printa("samples %@d\n", @p); }'
has out '^entries [1-9]'
has out '^samples [1-9]'

# Names: those that DTrace has, and no others.
run 0 trace -l -n 'profile:::profile-*,profile-10,profile-2sec,profile-250us,profile-3HZ'
for name in 97 199 499 997 1999 4001 4999 10 2sec 250us 3HZ; do
	has out "^ *[0-9]+ +profile +profile-$name\$"
done
for name in profile-0 profile-5001 profile-199us profile-1x profile- profile; do
	run 1 trace -n "$name { }"
	has err "probe description :::$name does not match any probes"
done
# Wrong intervals are refused before a command is started for them.
for name in profile-199us tick-199us profile:::profile-5001; do
	run 1 trace -n "$name { }" -c "touch $directory/started"
	has err "probe description .*${name##*:} does not match any probes .*at most 5000 a second"
	[ ! -e "$directory/started" ] || fail "$name: the command was started"
done
run 1 trace -n 'profile:m::profile-97 { }'
has err 'profile probes have neither module nor function'
run 1 trace --via=stream -n 'profile-97 { }'
has err 'profile probes come from the kernel'
exit 0
