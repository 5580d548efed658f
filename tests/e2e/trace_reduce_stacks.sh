#!/bin/bash
# Stacks as keys of aggregations that BPF programs update: the same is printed as when records of
# all events are made, and programs learn the stacks that they have sent.
# tests: src/kernel/translate/stack_numbers.c src/kernel/translate/stack_walk.c
set -u
. tests/e2e/common

need_kernel
$CC -O2 -o "$directory/stacks" tests/tools/usdt_stacks.c -pthread || fail "compiling"
mkfifo "$directory/in"
hits=$((2 * (5 * 12 + 8 + 1) + 1))

# Traces three rounds of the program; the bytes of records are left in $bytes. Each round begins when
# all of the one before has been counted and later ticks have come, so that the records of earlier
# times have been read, and programs know the stacks in them.
rounds() { # reduce, script
	local target tracer round
	rm -f "$directory/said"
	touch "$directory/said"
	"$directory/stacks" <"$directory/in" >"$directory/said" &
	target=$!
	exec 3>"$directory/in"
	until grep -q ready "$directory/said"; do sleep 0.01; done
	: >"$directory/$1.out"
	VMTAP_DEBUG=kernel "$VMTAP" trace --via=kernel -q -x bufsize=32m -x reduce="$1" -p "$target" \
		-o "$directory/$1.out" -n "$2" >/dev/null 2>"$directory/$1.err" 3>&- &
	tracer=$!
	until grep -q '^begun$' "$directory/$1.out"; do
		kill -0 "$tracer" 2>/dev/null || fail "$1: $(cat "$directory/$1.err")"
		sleep 0.01
	done
	for round in 1 2 3; do
		echo >&3
		until [ "$(grep -c "^hits $((round * hits))\$" "$directory/$1.out")" -gt 3 ]; do
			kill -0 "$tracer" 2>/dev/null || fail "$1: $(cat "$directory/$1.err")"
			sleep 0.01
		done
	done
	exec 3>&-
	wait "$target" || fail "the program"
	wait "$tracer" || fail "$1: $(cat "$directory/$1.err")"
	# Only libc6-dbg has the names of libc's own functions. Without it they are shown by addresses,
	# which differ from run to run except for the place in their page.
	grep -vE '^(hits|begun|$)' "$directory/$1.out" |
		sed -E 's/`0x[0-9a-f]+([0-9a-f]{3})$/`unnamed \1/' >"$directory/$1"
	bytes=$(sed -n 's/.*: \([0-9]*\) bytes of records$/\1/p' "$directory/$1.err")
	! grep -qE 'drop|nothing is reduced' "$directory/$1.err" || fail "$1: $(cat "$directory/$1.err")"
}

script='tick-10ms /!said/ { printf("begun\n"); said = 1; }
	stacks$target:::hit { @n = count(); }
	stacks$target:::hit { self->last = arg0; @[arg0, ustack()] = count(); @four[ustack(4), tid == pid] = sum(arg0);
	@q[ustack(1)] = quantize(arg0); @m[probename, ustack(2)] = max(self->last); @two[ustack(2), ustack(6)] = avg(arg0); }
	tick-10ms { printa("hits %@d\n", @n); } END { printa("hits %@d\n", @n); trunc(@n); }'
rounds yes "$script"
reduced=$bytes
rounds no "$script"
cmp "$directory/yes" "$directory/no" >"$directory/out" ||
	fail "other results: $(diff "$directory/yes" "$directory/no" | head -20)"
grep -q ' 6 instructions that aggregate' "$directory/yes.err" || fail "not all is carried out"
[ "$(grep -c 'stacks`main' "$directory/yes")" -gt 20 ] || fail "stacks: $(head -50 "$directory/yes")"
grep -q 'stacks`handle' "$directory/yes" || fail "a stack in a signal handler"
# Each update of five is sent once for a known stack, and three times for those that programs cannot
# walk over. An event alone would be a fifth of them, three times.
[ "$reduced" -lt $((bytes * 4)) ] || fail "programs do not learn stacks: $reduced bytes of records"

# Functions of a JIT compiler keep their names when the program has ended before they are printed.
if [ "$(uname -m)" = x86_64 ]; then
	cat >"$directory/compiled.c" <<'C'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <unistd.h>

__attribute__((noinline)) static void fire(void)
{
	DTRACE_PROBE1(compiled, hit, 1);
	__asm__ volatile("");
}

int main(void)
{
	/* push %rbp; mov %rsp, %rbp; movabs fire, %rax; call *%rax; pop %rbp; ret */
	unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xd0, 0x5d, 0xc3};
	unsigned char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*function)(void) = fire;
	char path[64];
	FILE *map;

	memcpy(code + 6, &function, sizeof(function));
	memcpy(at, code, sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	if (at == MAP_FAILED || !map)
		return 1;
	fprintf(map, "%lx %zx compiled %s\n", (unsigned long)at, sizeof(code), "function");
	fclose(map);
	memcpy(&function, &at, sizeof(function));
	for (int i = 0; i < 3; i++)
		function();
	puts(path);
	return 0;
}
C
	$CC -O2 -o "$directory/compiled" "$directory/compiled.c" || fail "compiling"
	for reduce in yes no; do
		run 0 trace --via=kernel -q -x reduce=$reduce -c "$directory/compiled" \
			-n 'compiled$target:::hit { @[ustack(3)] = count(); @by[ufunc(ucaller)] = count(); }'
		map=$(grep '^/tmp/perf-.*map$' "$directory/out")
		rm -f "$map"
		has out '`compiled function\+0x10$'
		has out '`compiled function +3$'
	done
	# ... also in a variable, which is a key, and is printed when the program has ended.
	run 0 trace --via=kernel -q -c "$directory/compiled" -n '
		compiled$target:::hit { self->at = ustack(2); last = self->at; times[last]++; }
		compiled$target:::hit /self->at == ustack(2) && self->at != ustack(3)/ { @[last] = count(); }
		END { printf("last%k%d", last, times[last]); trace(last); }'
	map=$(grep '^/tmp/perf-.*map$' "$directory/out")
	rm -f "$map"
	[ "$(grep -c '`compiled function+0x10$' "$directory/out")" = 3 ] || fail "a stack in a variable"
	[ "$(grep -cE '^(3|  +3)$' "$directory/out")" = 2 ] || fail "a stack in a variable, as a key"
fi
exit 0
