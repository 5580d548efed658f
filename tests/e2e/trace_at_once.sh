#!/bin/bash
# All probes of a trace begin and end at the same time, however long it takes to attach them and to
# detach from them: in a program that is running, an entry and its return are counted equally often.
set -u
. tests/e2e/common
need_kernel

{
	for ((i = 0; i < 3000; i++)); do
		echo "__attribute__((noinline, used)) int part_$i(int a) { __asm__ volatile(\"\" : \"+r\"(a)); return a; }"
	done
	cat <<'END'
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <unistd.h>
__attribute__((section(".probes"))) volatile unsigned short busy_turn_semaphore;
int main(void)
{
	for (int i = 0;; i++) {
		if (part_7(i) != i || getppid() < 0)
			return 1;
		if (busy_turn_semaphore)
			DTRACE_PROBE1(busy, turn, i);
	}
}
END
} >"$directory/busy.c"
$CC -O1 -o "$directory/busy" "$directory/busy.c" || fail "compiling"
"$directory/busy" &
pid=$!
pids+=("$pid")

# Whoever interrupts the trace comes at any moment, between an entry and its return, too.
counted() { # clause, options
	local clause=$1
	shift
	# shellcheck disable=SC2086
	"$VMTAP" trace -q -p "$pid" "$@" -n "BEGIN { printf(\"begun\\n\"); } $clause { @[probename] = count(); }" \
		-n 'tick-200ms { exit(0); }' >"$directory/out" 2>"$directory/err" || fail "$clause: the trace failed"
	read -r entries returns < <(awk '$1 == "entry" { e = $2 } $1 == "return" { r = $2 } END { print e + 0, r + 0 }' "$directory/out")
	[ "$entries" -gt 100 ] || fail "$clause: $entries entries"
	[ $((entries - returns)) -le 1 ] && [ $((returns - entries)) -le 1 ] || fail "$clause $*: $entries entries, $returns returns"
}
counted 'pid$target:busy:part_*:entry, pid$target:busy:part_*:return'
counted 'pid$target:busy:part_7:entry, pid$target:busy:part_7:return'
counted 'syscall::getppid:entry, syscall::getppid:return /pid == $target/'
counted 'busy$target:::turn { } pid$target:busy:part_*:entry, pid$target:busy:part_*:return'

# The same holds for probes of processes together with those of the machine.
"$VMTAP" trace -q -p "$pid" -n 'BEGIN { printf("begun\n"); } pid$target:busy:part_*:entry { @["part"] = count(); }
	syscall::getppid:entry /pid == $target/ { @["call"] = count(); } tick-200ms { exit(0); }' >"$directory/out" 2>"$directory/err" ||
	fail "functions and system calls: the trace failed"
read -r parts calls < <(awk '$1 == "part" { p = $2 } $1 == "call" { c = $2 } END { print p + 0, c + 0 }' "$directory/out")
[ "$parts" -gt 100 ] || fail "$parts functions"
[ $((parts - calls)) -le 1 ] && [ $((calls - parts)) -le 1 ] || fail "$parts functions, $calls system calls"
exit 0
