#!/bin/bash
# Memory at addresses that clauses compute with variables: programs in the kernel follow such clauses.
# tests: src/kernel/translate/translate.c
set -u
. tests/e2e/common
need_kernel

# Opens files by paths whose pages are not there when the call begins: open() itself fetches them.
# Each line of what it prints is "tid path opened".
cat >"$directory/opens.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PAGE = 4096, PATHS = 16 };

static int file;
static long rounds;

static void *work(void *number)
{
	for (long i = 0; i < rounds; i++) {
		char *map = mmap(NULL, PATHS * PAGE, PROT_READ, MAP_SHARED, file, 0);
		char *path = map + PAGE * (((long)number + i * 5) % PATHS);
		int descriptor = open(path, O_RDONLY);

		printf("%ld %s %d\n", syscall(SYS_gettid), path, descriptor >= 0);
		if (descriptor >= 0)
			close(descriptor);
		munmap(map, PATHS * PAGE);
	}
	return NULL;
}

/* FILE ROUNDS THREADS; the file has a path in each page. */
int main(int argc, char **argv)
{
	int threads = atoi(argv[3]);
	pthread_t thread[8];

	rounds = atol(argv[2]);
	file = open(argv[1], O_RDONLY);
	prctl(PR_SET_NAME, "vmtap-opens");
	for (long i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, work, (void *)i);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	open((char *)8, O_RDONLY); /* no path at all */
	return argc != 4;
}
C
$CC -O1 -pthread -o "$directory/opens" "$directory/opens.c" || fail "compiling"
for i in $(seq 0 15); do
	path=$directory/vmtap-path-$i
	[ $((i % 2)) = 0 ] && : >"$path"
	printf '%s' "$path" | dd bs=4096 conv=sync 2>/dev/null
done >"$directory/paths"
opens="$directory/opens $directory/paths"

# Traces into a file of its own: the program prints, too.
trace() { # arguments
	rm -f "$directory/trace"
	run 0 trace -q -o "$directory/trace" "$@"
}

# What the program printed and what the trace did, of its threads.
compare() { # what
	sort "$directory/out" >"$directory/told"
	sed -n 's/^trace \(.*vmtap-path.*\)/\1/p' "$directory/trace" | sort >"$directory/traced"
	[ -s "$directory/told" ] || fail "$1: the program says nothing"
	diff "$directory/told" "$directory/traced" || fail "$1: traced and real paths differ"
}

# At the entry the paths cannot be read, so the test shows something.
run 0 trace -q -c "$opens 4 1" -n 'syscall::openat:entry /execname == "vmtap-opens"/ {
	printf("trace %s\n", copyinstr(arg1)); }'
has err 'invalid address'

# Every path, of two threads at the same time, in all forms that a variable of a thread has. The call
# with the address 8 is the only one that fails.
for option in yes no; do
	for variable in 'self->p' 'p[tid]' 'self->p[0]'; do
		trace -x bufsize=16m -x "reduce=$option" -c "$opens 40 2" -n '
			syscall::open*:entry /pid == $target/ { '"$variable"' = arg1; }
			syscall::open*:return /'"$variable"'/ { printf("trace %d %s %d\n", tid,
				copyinstr('"$variable"'), (int)arg1 >= 0); '"$variable"' = 0; }
			ERROR { printf("error %d %x\n", arg4, arg5); }'
		compare "$variable, reduce=$option"
		[ "$(grep -c '^error 1 8$' "$directory/trace")" = 1 ] || fail "the fault of open(8)"
		[ "$(grep -c '^error' "$directory/trace")" = 1 ] || fail "other faults"
		has_not err 'drop'
	done
done

# As people write it: a time beside it, a predicate that programs cannot calculate, several clauses of
# a probe, one of them stores what another reads, and one reads before another clears.
trace -x bufsize=16m -c "$opens 40 2" -n '
	syscall::open*:entry /pid == $target/ { self->p = arg1; self->t = timestamp; @all = count(); }
	syscall::open*:return /self->t && timestamp - self->t < 0/ { printf("never\n"); }
	syscall::open*:return /self->t && strstr(copyinstr(self->p), "vmtap-path") != NULL/ {
		printf("trace %d %s ", tid, copyinstr(self->p)); self->q = 1; }
	syscall::open*:return /self->t/ { self->r = (int)arg1 < 0 ? 0 : self->p; }
	syscall::open*:return /self->r && strstr(copyinstr(self->r), "vmtap-path") != NULL/ {
		printf("%d\n", copyinstr(self->r) == copyinstr(self->p)); }
	syscall::open*:return /self->q && !self->r/ { printf("0\n"); }
	syscall::open*:return /self->t/ { self->p = self->q = self->r = 0; self->t = 0; }
	syscall::open*:return /self->p || self->t/ { printf("left\n"); }'
compare "several clauses"
grep -E '^(never|left)$' "$directory/trace" && fail "several clauses"

# A condition within a condition; addresses that are calculated; what is never set.
trace -c "$opens 8 1" -n '
	syscall::open*:entry /0/ { self->never = arg1; }
	syscall::open*:entry /pid == $target/ { if (execname == "vmtap-opens") {
		if (arg1 != 8) { self->p = arg1; } else { self->bad = arg1; } } }
	syscall::open*:return /self->p/ { this->after = self->p + 1; printf("rest %s\n", copyinstr(this->after));
		printf("either %s\n", copyinstr((int)arg1 < 0 ? self->p + 2 : self->p)); self->p = 0; }
	syscall::open*:return /pid == $target && self->never/ { printf("never %s\n", copyinstr(self->never)); }'
[ "$(grep -c "^rest ${directory#/}/vmtap-path-" "$directory/trace")" = 8 ] || fail "an address that is calculated"
[ "$(grep -c "^either ${directory#?}/vmtap-path-" "$directory/trace")" = 0 ] || fail "either"
[ "$(grep -c "^either ${directory#??}/vmtap-path-[0-9]*[13579]$" "$directory/trace")" = 4 ] || fail "paths that are not there"
[ "$(grep -c "^either $directory/vmtap-path-[0-9]*[02468]$" "$directory/trace")" = 4 ] || fail "paths that are there"
grep '^never' "$directory/trace" && fail "what is never set"
has_not err error

# A fault ends the clause in the kernel as it does in the engine: what comes after it is not stored.
trace -c "$opens 1 1" -n '
	syscall::open*:entry /pid == $target/ { self->p = arg1; }
	syscall::open*:return /self->p == 8/ { self->q = self->p + 8; trace(copyinstr(self->p)); self->p = 0; }
	syscall::open*:return /self->p == 8 && self->q/ { printf("still %d %d\n", self->p, self->q); }
	syscall::open*:return /self->p == 8/ { trace(copyinstr(self->q)); }
	syscall::open*:return { self->p = 0; self->q = 0; }
	ERROR { printf("error %x\n", arg5); }'
[ "$(grep -E '^(still|error)' "$directory/trace" | tr '\n' ,)" = 'error 8,still 8 16,error 10,' ] || fail "what a fault leaves"

# Each `if` keeps its condition in a variable; there is room for those of many clauses.
{
	echo 'syscall::open*:entry /pid == $target && arg1 != 8/ { self->p = arg1; self->n = 0; }'
	for i in $(seq 120); do
		echo "syscall::open*:return /self->p/ { if ((int)arg1 != $((i + 1000))) { self->n++; } else { self->never = 1; } }"
	done
	echo 'syscall::open*:return /self->p/ { printf("many %d %s\n", self->n, copyinstr(self->p)); self->p = 0; }'
} >"$directory/many.d"
trace -c "$opens 8 1" -s "$directory/many.d"
[ "$(grep -c "^many 120 $directory/vmtap-path-" "$directory/trace")" = 8 ] || fail "many conditions"

# Which argument has the path is a constant of the site; both calls are in one clause.
cat >"$directory/calls.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	char opened[32], tried[32]; /* written, so their pages are there */

	for (int i = 0; i < 5; i++) {
		snprintf(opened, sizeof(opened), "/vmtap-opened-%d", i);
		snprintf(tried, sizeof(tried), "/vmtap-tried-%d", i);
		if (open(opened, O_RDONLY) >= 0 || !syscall(SYS_faccessat, AT_FDCWD, tried, F_OK) || !chdir(tried))
			return 1;
	}
	return 0;
}
C
$CC -O1 -w -o "$directory/calls" "$directory/calls.c" || fail "compiling"
for i in 0 1 2 3 4; do
	printf '%s\n' "faccessat /vmtap-tried-$i" "chdir /vmtap-tried-$i" "openat /vmtap-opened-$i"
done | sort >"$directory/calls.wanted"
for option in yes no; do
	VMTAP_DEBUG=kernel run 0 trace -q -x "reduce=$option" -c "$directory/calls" -n '
		syscall::openat:entry, syscall::faccessat:entry, syscall::chdir:entry /pid == $target && execname == "calls"/ {
			printf("%s %s\n", probefunc, copyinstr(probefunc == "chdir" ? arg0 : arg1)); }
		syscall::openat:entry, syscall::faccessat:entry, syscall::chdir:entry /pid == $target && execname == "calls"/ {
			@[copyinstr("chdir" != probefunc ? arg1 : arg0)] = count(); }
		syscall:::entry /probefunc == "chdir" && execname == "calls"/ { @calls = count(); }
		END { printa("%s %@d\n", @); printa("calls %@d\n", @calls); }'
	grep -E '^[a-z]+ /vmtap' "$directory/out" | sort | diff "$directory/calls.wanted" - || fail "a constant of the site"
	[ "$(grep -c '^/vmtap.* [12]$' "$directory/out")" = 10 ] || fail "keys by a constant of the site"
	has out '^calls 5$'
	has_not err 'invalid|drop'
	[ $option = no ] || has err ' 4 instructions that aggregate are carried out'
done

# The bytes of write() and read(), as many as were written; the parts of writev().
cat >"$directory/writes.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void)
{
	int file = open("/dev/null", O_RDWR), pipes[2];
	struct iovec parts[2] = {{"first part", 10}, {"second", 6}};
	char text[64], back[64];

	if (pipe(pipes))
		return 1;
	for (int i = 0; i < 20; i++) {
		int length = sprintf(text, "line number %d with %.*s", i, i, "xxxxxxxxxxxxxxxxxxxx");

		write(file, text, (size_t)length);
		write(pipes[1], text, (size_t)length);
		read(pipes[0], back, sizeof(back));
	}
	writev(file, parts, 2);
	return 0;
}
C
$CC -O1 -w -o "$directory/writes" "$directory/writes.c" || fail "compiling"
for i in $(seq 0 19); do
	printf 'line number %d with %s\n' "$i" "$(printf '%*s' "$i" '' | tr ' ' x)"
done >"$directory/lines"
cat >"$directory/writes.d" <<'D'
syscall::write:entry, syscall::read:entry /pid == $target/ { self->b = arg1; self->n = arg2; self->fd = arg0; }
syscall::write:return /self->b && self->fd == 3/ {
	printf("written %s\n", stringof(copyin(self->b, arg1))); }
syscall::write:return /self->b && self->fd == 5/ {
	printf("passed %s\n", stringof(copyin(self->b, self->n))); }
syscall::read:return /self->b && self->fd == 4/ {
	printf("read %s %d\n", stringof(copyin(self->b, arg0 > 12 ? 12 : arg0)), (int)arg0); }
syscall::write:return, syscall::read:return { self->b = 0; }
syscall::writev:entry /pid == $target/ { self->v = arg1; }
syscall::writev:return /self->v/ {
	printf("parts %s, ", stringof(copyin((uintptr_t)((struct iovec *)copyin(self->v, 16))->iov_base,
		((struct iovec *)copyin(self->v, 16))->iov_len)));
	printf("%s\n", copyinstr((uintptr_t)((struct iovec *)copyin(self->v, 32))[1].iov_base, 6));
	self->v = 0; }
D
for option in yes no; do
	run 0 trace -q -x bufsize=16m -x "reduce=$option" -c "$directory/writes" -s "$directory/writes.d"
	for what in written passed; do
		sed -n "s/^$what //p" "$directory/out" | diff "$directory/lines" - || fail "$what"
	done
	[ "$(grep -cE '^read line number [0-9]+$' "$directory/out")" = 0 ] || fail "read"
	[ "$(grep -cE '^read line number  ?[0-9]* [1-5][0-9]$' "$directory/out")" = 20 ] || fail "read: 20"
	has out '^parts first part, second$'
	has_not err 'drop|error'
done

# A string that is cut off does not end in the process: its NUL is not what another read gives. Nor is
# the beginning of a string that could not be read to its end the whole string.
cat >"$directory/ends.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	int file = open("/dev/null", O_WRONLY);
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(pages + 4096, 4096);
	memcpy(pages + 4088, "ABCDEFGH", 8);
	return write(file, pages + 4088, 8) != 8;
}
C
$CC -O1 -o "$directory/ends" "$directory/ends.c" || fail "compiling"
for pair in 'arg1 arg2' 'self->p self->n'; do
	set -- $pair
	for length in 4 "$2-4"; do
		run 0 trace -q -c "$directory/ends" -n '
			syscall::write:entry /pid == $target/ { self->p = arg1; self->n = arg2; }
			syscall::write:entry /pid == $target/ { printf("cut %s", copyinstr('"$1, $length"'));
				this->c = (char *)copyin('"$1"', 5); printf(" %c%c,", this->c[3], this->c[4]);
				printf("%s.\n", copyinstr('"$1"', 0)); }'
		has out '^cut ABCD DE,\.$'
	done
	run 0 trace -q -x strsize=4 -c "$directory/ends" -n '
		syscall::write:entry /pid == $target/ { self->p = arg1; }
		syscall::write:entry /pid == $target/ { printf("cut %s", copyinstr('"$1"'));
			printf(" %c\n", *(char *)copyin('"$1"' + 4, 1)); }'
	has out '^cut ABCD E$'
	run 0 trace -q -c "$directory/ends" -n '
		syscall::write:entry /pid == $target/ { self->p = arg1; }
		syscall::write:entry /pid == $target/ { this->c = (char *)copyin('"$1"', 4);
			printf("begins %s\n", copyinstr('"$1"')); }'
	has_not out begins
	has err 'invalid address'
done

# Functions of a process; what pages of theirs are not there can be read at any time.
trace -x bufsize=16m -c "$opens 40 2" -n '
	pid$target:libc.so.6:open:entry, pid$target:libc.so.6:open64:entry { self->p = arg0; }
	pid$target:libc.so.6:open:return, pid$target:libc.so.6:open64:return /self->p && self->p != 8/ {
		printf("trace %d %s %d\n", tid, copyinstr(self->p), (int)arg1 >= 0); self->p = 0; }'
compare "functions"
has_not err 'drop|error'

# USDT probes: the name of a method that was noted when it began.
run 0 trace --via=kernel -q -x bufsize=16m -c "$TOY tests/toy/probes/method-entry.toy" -n '
	vm$target:::method-entry { self->class = arg0; self->method = arg1; }
	vm$target:::method-return /self->method/ { printf("last %s %s %d\n", copyinstr(self->class),
		copyinstr(self->method), copyinstr(self->method) == copyinstr(arg1)); self->method = 0; }'
has out '^last .* 1$'
has_not out '^last .* 0$'
has_not err 'drop|error'

# Of processes that nobody named, some of which start later.
provider=computed$(tr 0-9 a-j <<<$$)
cat >"$directory/later.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/sdt.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char text[64];

	(void)argc;
	for (int i = 0;; i++) { /* until it is killed */
		snprintf(text, sizeof(text), "%s %d", argv[1], i);
		DTRACE_PROBE1(PROVIDER, begins, text);
		DTRACE_PROBE1(PROVIDER, ends, strlen(text));
		usleep(100);
	}
}
C
$CC -O1 -DPROVIDER="$provider" -o "$directory/later" "$directory/later.c" || fail "compiling"
rm -f "$directory/trace"
"$VMTAP" trace -Z -q -o "$directory/trace" -n 'BEGIN { ended = 0; } tick-10ms /!begun++/ { printf("begun\n"); }
	'"$provider"'*:::begins { self->text = arg0; }
	'"$provider"'*:::ends /self->text/ { printf("ended %s\n", stringof(copyin(self->text, arg0))); self->text = 0;
		n[pid]++; ended += n[pid] == 50; }
	'"$provider"'*:::ends /ended == 2/ { exit(0); }' >"$directory/out" 2>"$directory/err" </dev/null &
tracer=$!
pids+=("$tracer")
await "it does not begin" grep -q begun "$directory/trace"
for name in one two; do
	"$directory/later" $name &
	pids+=("$!")
done
wait "$tracer" || fail "processes that start later: $?"
for name in one two; do
	[ "$(grep -cE "^ended $name [0-9]+\$" "$directory/trace")" -ge 50 ] || fail "processes that start later"
done
[ "$(grep -vcE '^(begun|ended (one|two) [0-9]+|)$' "$directory/trace")" = 0 ] || fail "texts of processes that start later"
has_not err 'drop|error|address'

# What cannot be followed is refused with a line that says so.
refused() { # script
	run 1 trace -q -c /bin/true -n "$1"
	has err "not computed from the probe's arguments, or from variables that programs in the kernel can follow"
}
refused 'syscall::open*:entry { p = arg1; } syscall::open*:return { trace(copyinstr(p)); }'
refused 'syscall::open*:entry { p[arg0] = arg1; } syscall::open*:return { trace(copyinstr(p[arg0])); }'
refused 'syscall::open*:entry { self->p = arg1; self->t = timestamp; } syscall::open*:return
	/timestamp - self->t > 1000/ { trace(copyinstr(self->p)); self->p = 0; }'
refused 'syscall::open*:entry { self->p = arg1; } profile-97 { self->p = 0; } syscall::open*:return {
	trace(copyinstr(self->p)); }'
refused 'pid$target:libc.so.6:open*:entry { self->p = arg0; } syscall::open*:return { trace(copyinstr(self->p)); }'
refused 'syscall::read:entry { self->fd = arg0; } syscall::read:return { trace(fds[self->fd].fi_pathname); }'

# A file's name by a number that was noted.
run 0 trace -q -c "$directory/writes" -n 'syscall::write:entry /pid == $target/ { self->fd = arg0; }
	syscall::write:return /self->fd/ { printf("to %s\n", fds[self->fd].fi_name); self->fd = 0; }'
[ "$(grep -c '^to null$' "$directory/out")" = 20 ] || fail "fds[self->fd]"
has_not err error
exit 0
