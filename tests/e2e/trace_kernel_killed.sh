#!/bin/bash
# A tracer that is killed, at each moment of the stops by which it attaches to what turns up: the
# traced program goes on, and no guardian stays. The same if the guardian was killed before.
# tests: src/kernel/watch/hold.c src/kernel/watch/guardian.c
set -u
. tests/e2e/common

need_kernel
[ "${VMTAP_SANITIZED:-0}" = 1 ] && { echo "the sanitizers do not go with LD_PRELOAD"; exit 77; }
loader=$directory/loader
$CC -O2 -o "$loader" tests/tools/usdt_loader.c -pthread -ldl &&
	$CC -O2 -fPIC -shared -DLIBRARY -o "$directory/libone.so" tests/tools/usdt_loader.c &&
	$CC -O2 -fPIC -shared -o "$directory/trouble.so" tests/e2e/tracer_trouble.c -ldl || fail "compiling"

mkfifo "$directory/in"
"$loader" <"$directory/in" >"$directory/said" 2>"$directory/complaints" &
running=$!
pids+=("$running")
(while printf 'load %s\ncall 1\ndrop\nfork 1\nsay on\nexec %s\n' "$directory/libone.so" "$loader"; do :; done \
	>"$directory/in") 2>"$directory/complaints" &
pids+=($!)

# What counts is what the program says, not what it has still to read.
goes_on() { [ "$(wc -l <"$directory/said")" -gt $((said + 5)) ]; }
guardians() { pgrep -x -P "$1" vmtap-guardian; }
trace() { # the calls after which it is killed, more arguments
	rm -f "$directory/from" "$directory/out"
	KILL_FROM=$directory/from KILL_AFTER=$1 LD_PRELOAD=$directory/trouble.so "$VMTAP" trace -q -Z "${@:2}" \
		-p "$running" -n 'BEGIN { printf("begun\n"); } later*:::number { @n = count(); }' \
		>"$directory/out" 2>"$directory/err" &
	tracer=$!
	pids+=("$tracer")
	await "the trace does not begin" grep -q begun "$directory/out"
	await "there is no guardian" guardians "$tracer" # it has its name once it runs
	guardian=$(guardians "$tracer")
}
is_gone() { # pid
	[ ! -e "/proc/$1" ] || grep -q '^State:.*[ZX]' "/proc/$1/status"
}

for follow in "" --follow; do
	for ((calls = 1; calls <= 60; calls += 3)); do
		trace $calls $follow
		touch "$directory/from"
		await "the tracer is not killed after $calls calls" is_gone "$tracer"
		wait "$tracer" 2>"$directory/complaints"
		said=$(wc -l <"$directory/said")
		await "the program stays stopped if its tracer is killed after $calls calls ($follow)" goes_on
		await "the guardian stays" is_gone "$guardian"
	done
done

# Only the guardian is killed: there is another one by the next stop, and the tracer's death is
# survived as before.
has_another() { another=$(guardians "$tracer") && [ "$another" != "$guardian" ]; }
for ((calls = 1; calls <= 30; calls += 6)); do
	export KILL_GUARDIAN=1
	trace $calls
	unset KILL_GUARDIAN
	touch "$directory/from"
	await "no guardian takes the place of one that was killed" has_another
	said=$(wc -l <"$directory/said")
	await "the program stays stopped" goes_on
	kill -9 "$tracer"
	wait "$tracer" 2>"$directory/complaints"
	said=$(wc -l <"$directory/said")
	await "the program stays stopped if its second guardian has to let it go on" goes_on
	await "the second guardian stays" is_gone "$another"
done
exit 0
