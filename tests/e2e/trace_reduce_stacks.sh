#!/bin/bash
# Stacks as keys of aggregations that BPF programs update: the same is printed as when records of
# all events are made, and programs learn the stacks that they have sent.
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
	grep -vE '^(hits|begun|$)' "$directory/$1.out" >"$directory/$1"
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
exit 0
