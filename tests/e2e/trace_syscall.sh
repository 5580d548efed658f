#!/bin/bash
# Provider syscall, against a program that counts the calls that it makes.
# tests: src/kernel/machine/provider_syscall.c
set -u
. tests/e2e/common
need_kernel

# The name is its own, so that system-wide scripts find no other program. `int $0x80` is the call of
# a 32-bit program: 20 is getpid there, and writev elsewhere.
cat >"$directory/calls.c" <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long rounds;
/* In memory that a child has from the start: a string whose page is not there cannot be read. */
static char *zero;

static void *work(void *file)
{
	int fd = open(zero, O_RDONLY);
	char buffer[64];

	for (long i = 0; i < rounds; i++) {
		long result;

		syscall(SYS_getppid);
		syscall(SYS_read, fd, buffer, i % 64);
		syscall(SYS_openat, -100, file, 0x8000, 0);
#ifdef __x86_64__
		__asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
		(void)result;
#endif
	}
	close(fd);
	return NULL;
}

/* ROUNDS THREADS CHILDREN */
int main(int argc, char **argv)
{
	char *file = strdup("/nonexistent/vmtap-file");
	int threads = atoi(argv[2]), children = atoi(argv[3]);
	pthread_t thread[16];

	zero = strdup("/dev/zero");
	rounds = atol(argv[1]);
	prctl(PR_SET_NAME, "vmtap-calls");
	for (int i = 0; i < children; i++)
		if (!fork()) {
			work(file);
			_exit(0);
		}
	for (int i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, file);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	while (wait(NULL) > 0)
		;
	syscall(SYS_kill, getpid(), 0);
	return argc != 4;
}
C
$CC -O1 -pthread -o "$directory/calls" "$directory/calls.c" || fail "compiling"
calls=$directory/calls

# Arguments, results and errors of one process, in order.
run 0 trace -q -c "$calls 3 1 0" -n 'syscall::getppid:*, syscall::read:*, syscall::open*:*
	/pid == $target && execname == "vmtap-calls"/ { printf("%s %s %s %s %d %d %s %s\n", probeprov,
	probemod, probefunc, probename, arg0, arg1, "", ""); }'
[ "$(grep -c '^syscall  getppid entry' "$directory/out")" = 3 ] || fail "getppid"
[ "$(grep -c '^syscall  read return [0-2] [0-2]' "$directory/out")" = 3 ] || fail "results of read"
[ "$(grep -c '^syscall  openat return -1 -1' "$directory/out")" = 3 ] || fail "a call that fails returns -1"
run 0 trace -q -c "$calls 5 1 0" -n 'syscall::openat:entry /pid == $target && arg2 == 0x8000/ {
	printf("%d %s %s %x\n", args[0], copyinstr(arg1), stringof(args[1]), args[2]); self->in = 1; }
	syscall::openat:return /self->in/ { printf("%d %d %d\n", arg0, errno, args[0]); self->in = 0; }
	syscall::getppid:return /execname == "vmtap-calls"/ { @errors = sum(errno); @all = count(); }
	END { printa("getppid %@d %@d\n", @all, @errors); }'
[ "$(grep -c '^-100 /nonexistent/vmtap-file /nonexistent/vmtap-file 8000$' "$directory/out")" = 5 ] || fail "args[]"
[ "$(grep -c '^-1 2 -1$' "$directory/out")" = 5 ] || fail "errno"
has out '^getppid 5 0$'

# Every call of every process of that name is counted, by programs and with records.
cat >"$directory/count.d" <<'D'
syscall:::entry /execname == "vmtap-calls"/ { @[execname, probefunc, probename] = count(); }
syscall:::return /execname == "vmtap-calls"/ { @[execname, probefunc, probename] = count(); }
syscall::read:return /execname == "vmtap-calls"/ { @bytes = sum(arg0); @failed[probefunc, errno] = count(); }
syscall::openat:return /execname == "vmtap-calls" && errno/ { @failed[probefunc, errno] = count(); }
syscall::openat:entry /execname == "vmtap-calls"/ { @files[copyinstr(arg1)] = count(); }
END { printa("%s %s %s %@d\n", @); printa("bytes %@d\n", @bytes); printa("%s errno %d: %@d\n", @failed);
	printa("file %s %@d\n", @files); }
D
run 0 trace -q -s "$directory/count.d" -c "$calls 2000 3 2"
for call in getppid read openat; do
	for name in entry return; do
		wanted=10000
		[ $call = openat ] && wanted=10005 # and /dev/zero, five times
		has out "^vmtap-calls $call $name $wanted\$"
	done
done
has out '^bytes 313080$'
has out '^read errno 0: 10000$'
has out '^openat errno 2: 10000$'
has out '^file /nonexistent/vmtap-file 10000$'
has out '^file /dev/zero 5$'
has out '^vmtap-calls kill entry 1$'
has_not out ' writev ' # that of the 32-bit program
has_not err 'drop|error'

# The same with records, which are only made for the process that the predicate names.
sed -i 's,/execname ==,/pid == $target \&\& execname ==,' "$directory/count.d"
for option in reduce=yes reduce=no; do
	run 0 trace -q -x bufsize=16m -x "$option" -s "$directory/count.d" -c "$calls 100 3 0"
	has_not err 'drop|error'
	# Those of the C library may differ in number.
	grep -E 'getppid|read|openat|bytes|file|errno' "$directory/out" | sort >"$directory/$option"
done
has out '^vmtap-calls openat return 303$'
diff "$directory/reduce=yes" "$directory/reduce=no" || fail "reduced and shipped differ"

# With no target: a process that starts later, until the trace is interrupted.
"$VMTAP" trace -q -o "$directory/later" -n 'tick-10ms /!told/ { told = 1;
	printf("tracing\n"); } syscall::getppid:entry
	/execname == "vmtap-calls"/ { @ = count(); }
	END { printa("all %@d\n", @); }' 2>"$directory/err" </dev/null &
tracer=$!
pids+=("$tracer")
await "no tick" grep -q tracing "$directory/later"
"$calls" 500 1 1
kill -INT "$tracer"
wait "$tracer" || fail "interrupted: $?"
grep -q '^all 1000$' "$directory/later" || fail "later: $(cat "$directory/later")"

# Time in a call by thread, reduced and not; a probe of the process and calls in one script.
for option in yes no; do
	run 0 trace -q -x "reduce=$option" -c "$calls 300 2 0" -n 'syscall::read:entry /pid == $target/ {
		self->t = timestamp; } syscall::read:return /self->t/ { @ = quantize(timestamp - self->t);
		@n = count(); self->t = 0; } END { printa("timed %@d\n", @n); }'
	timed=$(sed -n 's/^timed //p' "$directory/out")
	[ "${timed:-0}" -ge 600 ] && [ "$timed" -le 605 ] || fail "timed $timed of 600 reads and those of the loader"
done
run 0 trace -q -c "$calls 50 1 0" -n 'pid$target:a.out:work:entry { self->work = 1; }
	pid$target:a.out:work:return { self->work = 0; }
	syscall::getppid:entry /self->work/ { @ = count(); @by[stackdepth > 0] = count(); }
	END { printa("in work %@d\n", @); printa("stack %d %@d\n", @by); }'
has out '^in work 50$'
has out '^stack 1 50$'

# The stack of a process that runs on.
"$calls" 1000000000 1 0 &
pids+=("$!")
run 0 trace -q -p "$!" -n 'syscall::getppid:entry /pid == $target && n < 50/ { n++; @[ufunc(ucaller)] = count(); }
	tick-20ms /n == 50/ { exit(0); } END { printa("%A %@d\n", @); }'
has out '^calls`work(\+0x[0-9a-f]+)? 50$'
kill -9 "${pids[-1]}"

# vmtap shows none of its own calls.
run 0 trace -q -c "$calls 200 1 0" -n 'syscall:::entry /pid == $pid/ { @ = count(); } END {
	printa("own %@d\n", @); }'
has_not out '^own'

# Listing, stability, and what never fires.
run 0 trace -l -n 'syscall::open*:entry'
has out ' syscall +open entry$'
has out ' syscall +openat entry$'
has out ' syscall +openat2 entry$'
run 0 trace -lv -n 'syscall::openat:entry'
has out '^		args\[1\] path: char \*$'
has out '^		Dependency Class: ISA$'
run 0 trace -l -n 'syscall::exit*:return'
has err '^vmtap: syscall::exit_group:return cannot be traced: the process ends in this call$'
run 1 trace -n 'syscall::exit_group:return { }'
has err 'syscall::exit_group:return cannot be traced: the process ends in this call'
run 1 trace -n 'syscall::opne:entry { }'
has err 'does not match any probes \(did you mean open\?\)'
run 1 trace --via=stream -n 'syscall::open:entry { }'
has err '\(provider syscall comes from the kernel\)'

# All types of all calls are known to the compiler.
run 0 trace -lv -n 'syscall:::entry'
sed -n 's/^\t\targs\[[0-9]\] [a-z0-9_]*: //p' "$directory/out" | sort -u >"$directory/types"
[ "$(wc -l <"$directory/types")" -ge 15 ] || fail "types: $(cat "$directory/types")"
while read -r type; do
	[ "$type" = "${type%\*}" ] || type="uintptr_t"
	echo "inline int type_$((n = ${n:-0} + 1)) = sizeof($type);"
done <"$directory/types" >"$directory/types.d"
echo 'BEGIN { exit(0); }' >>"$directory/types.d"
run 0 trace -q -s "$directory/types.d"
exit 0
