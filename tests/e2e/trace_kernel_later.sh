#!/bin/bash
# What turns up in a process while the kernel traces it: libraries that it loads, removes and loads
# again, programs that it executes. Nothing may be missed, from the first instruction on, and nobody
# may stay stopped.
# tests: src/kernel/watch/code_mappings.c src/kernel/process/new_sites.c
set -u
. tests/e2e/common

need_kernel
loader=$directory/loader
$CC -O2 -o "$loader" tests/tools/usdt_loader.c -pthread -ldl &&
	$CC -O2 -fPIC -shared -DLIBRARY -o "$directory/libone.so" tests/tools/usdt_loader.c &&
	$CC -O2 -fPIC -shared -DLIBRARY -o "$directory/libtwo.so" tests/tools/usdt_loader.c || fail "compiling"
echo '#include <sys/sdt.h>
	int main(void) { for (int i = 1; i <= 7; i++) DTRACE_PROBE2(later, number, i, 3 * i); return 0; }' >"$directory/alone.c"
$CC -O2 -static -o "$directory/alone" "$directory/alone.c" || fail "compiling"
script='later$target:::begins { printf("%d\n", arg0 == pid); }
	later$target:::number { @[execname, probemod] = count(); @s[probemod] = sum(arg1); }
	END { printa("%s %s %@d\n", @); printa("%s %@d\n", @s); }'

# A script for the loader on standard input; the trace must print these lines, sorted.
traces() { # arguments, script; the lines are read from standard input
	local lines
	lines=$(cat)
	timeout 100 "$VMTAP" trace -q "${@:1:$#-1}" -n "$script" <<<"${!#}" >"$directory/out" 2>"$directory/err" ||
		fail "trace ${*:1:$#-1}: status $?"
	[ "$(sort "$directory/out" | sed '/^$/d')" = "$lines" ] || fail "the loader's script ${!#}"
}

# ---- commands ----

for via in auto kernel; do
	traces --via=$via -Z -c "$loader" "load $directory/libone.so
call 5
drop
load $directory/libone.so
call 3
load $directory/libtwo.so
call 2" <<-END
		1
		1
		1
		libone.so 63
		libtwo.so 9
		loader libone.so 8
		loader libtwo.so 2
	END
done
# Namespaces of their own, each with its own copy of the library.
traces -c "$loader" "space $directory/libone.so
call 5
space $directory/libtwo.so
call 2
drop
space $directory/libtwo.so
call 3
load $directory/libtwo.so
call 1" <<-END
	1
	1
	1
	1
	libone.so 45
	libtwo.so 30
	loader libone.so 5
	loader libtwo.so 6
END
# One that was mapped to be read when another was loaded, before it was loaded itself; the same is
# seen if that moment comes while a library is being mapped.
for follow in "" --follow; do
	traces -Z $follow -c "$loader" "map $directory/libtwo.so
load $directory/libone.so
call 1
load $directory/libtwo.so
call 2" <<-END
		1
		1
		libone.so 3
		libtwo.so 9
		loader libone.so 1
		loader libtwo.so 2
	END
done
# A thread's variable that a probe of the program and those of later libraries share.
plain=$script
script='pid$target:a.out:main:entry { self->from = 40; }
	later$target:::number { @[self->from] = sum(arg1); self->from += arg0; }
	END { printa("%d %@d\n", @); }'
for reduce in yes no; do
	traces -x reduce=$reduce -Z -c "$loader" "load $directory/libone.so
call 3
load $directory/libtwo.so
call 2" <<-END
		40 3
		41 6
		43 9
		46 3
		47 6
	END
done
script=$plain
# Removed, replaced on disk, and loaded again.
traces -c "$loader" "load $directory/libone.so
call 5
drop
exec /bin/sh -c cp $directory/libtwo.so $directory/libthree.so && rm $directory/libone.so && mv $directory/libthree.so $directory/libone.so; exec $loader" <<-END
	1
	libone.so 45
	loader libone.so 5
END
# Other programs: the same, one that is linked statically, by a shell, by a thread.
for how in "" "thread
"; do
	traces -c "sh -c 'exec $loader'" "load $directory/libone.so
call 5
${how}exec $loader
load $directory/libone.so
call 4
exec $directory/alone" <<-END
		1
		1
		alone 84
		alone alone 7
		libone.so 75
		loader libone.so 9
	END
done

# ---- a process that runs already, and its tracer's end ----

mkfifo "$directory/in"
start() {
	setsid "$loader" <"$directory/in" >"$directory/said" 2>"$directory/complaints" &
	pids+=($!)
	exec 3>"$directory/in"
	echo "say ready" >&3
	await "the loader is not ready" grep -q ready "$directory/said"
	running=$(pgrep -f -x "$loader" | tail -1)
	pids+=("$running")
}
is_watched() { grep -q "process $running is watched" "$directory/err"; }
# Traces the process, until it is watched.
trace_running() { # more arguments
	forget_output
	VMTAP_DEBUG=kernel "$VMTAP" trace -q -Z "$@" -p "$running" -n "BEGIN { printf(\"begun\\n\"); } $script" \
		>"$directory/out" 2>"$directory/err" 3>&- &
	tracer=$!
	await "the trace does not begin" grep -q begun "$directory/out"
	await "nobody watches for libraries" is_watched
}
start
trace_running
printf 'load %s\ncall 6\nexec %s\nload %s\ncall 4\nexec %s\n' "$directory/libone.so" "$loader" "$directory/libtwo.so" \
	"$directory/alone" >&3
exec 3>&-
wait "$tracer" || fail "the trace of a process that loads and executes: status $?"
[ "$(sort "$directory/out" | sed '/^$/d' | tr '\n' ,)" = \
	"1,1,alone 84,alone alone 7,begun,libone.so 63,libtwo.so 30,loader libone.so 6,loader libtwo.so 4," ] ||
	fail "a process that loads and executes"

# The tracer is killed while the process is stopped by it: it goes on.
start
trace_running
kill -STOP "$tracer"
printf 'load %s\ncall 6\nsay loaded\n' "$directory/libone.so" >&3
is_stopped() { grep -q '^State:[[:space:]]*T' "/proc/$running/status"; }
is_gone() { [ ! -e "/proc/$running" ] || grep -q "^State:[[:space:]]*[ZX]" "/proc/$running/status"; }
await "the process is not stopped while its library is attached to" is_stopped
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
await "the process stays stopped after the tracer's death" grep -q loaded "$directory/said"
is_alone() { ! pgrep -f "vmtap.*-p $running " && ! is_stopped; }
await "the guardian stays" is_alone
# One that does not answer does not hold it for ever, and says that it came too late.
trace_running
kill -STOP "$tracer"
printf 'load %s\ncall 6\nsay again\n' "$directory/libtwo.so" >&3
await "the process is not stopped while its library is attached to" is_stopped
await "the process stays stopped" grep -q again "$directory/said"
kill -CONT "$tracer"
await "it is not told what was missed" grep -q 'has run for a while before its new probes were attached' "$directory/err"
printf 'call 2\n' >&3
exec 3>&-
wait "$tracer" || fail "the trace that came too late: status $?"
grep -q '^loader libtwo.so 2$' "$directory/out" || fail "the library was attached to late"

# One that somebody lets go on, and that ends before the tracer looks.
start
trace_running
kill -STOP "$tracer"
printf 'load %s\ncall 6\n' "$directory/libone.so" >&3
exec 3>&-
await "the process is not stopped while its library is attached to" is_stopped
kill -CONT "$running"
await "the process does not end" is_gone
kill -CONT "$tracer"
wait "$tracer" || fail "the trace of a process that ends unseen: status $?"
grep -q "^vmtap: process $running (loader): it .* before its new probes were attached: events" "$directory/err" ||
	fail "nothing tells of a process that ran to its end unseen"

preload=
if [ "${VMTAP_SANITIZED:-0}" != 1 ]; then
	preload=$directory/trouble.so
	$CC -O2 -fPIC -shared -o "$preload" tests/e2e/tracer_trouble.c -ldl || fail "compiling"
fi
# The second of two processes may no longer be looked at when it loads a library.
if [ "$preload" ]; then
	sleep 1000 &
	pids+=($!)
	start
	export LD_PRELOAD=$preload DENIED_MAPS=$directory/denied
	trace_running -p "${pids[-3]}"
	unset LD_PRELOAD DENIED_MAPS
	touch "$directory/denied"
	printf 'load %s\n' "$directory/libone.so" >&3
	await "it is not told which process may not be looked at" \
		grep -q "^vmtap: process $running (loader): what it has loaded is not traced: process $running: " "$directory/err"
	exec 3>&-
	await "the process does not end" is_gone
	kill "$tracer" "${pids[-3]}"
	wait "$tracer"
fi

# Two tracers of one process, each of which stops it and lets it go on: both have all events, even if
# both let it go at the same time and one is slower. Where neither may look for the other's map, or
# where attaching is as slow as under the sanitizers, one of them may be late, and says so.
start
tracers=()
for i in 1 2; do
	LD_PRELOAD=$preload SLOW_REMOVAL_MS=10 SLOW_CONTINUE_MS=$((i * 20 - 10)) VMTAP_DEBUG=kernel "$VMTAP" trace -q -Z -p "$running" -n 'later*:::begins { @b = count(); }
		later*:::number { @n = count(); } END { printa("%@d", @b); printa(" %@d\n", @n); }' \
		>"$directory/both.$i" 2>"$directory/errors.$i" 3>&- &
	tracers+=($!)
	pids+=($!)
done
for i in 1 2; do
	await "nobody watches for libraries" grep -q "process $running is watched" "$directory/errors.$i"
done
for ((i = 0; i < 5; i++)); do
	printf 'load %s\ncall 1\nexec %s\nload %s\ncall 1\nexec %s\n' "$directory/libone.so" "$loader" \
		"$directory/libtwo.so" "$loader" >&3
done
exec 3>&-
wait "${tracers[@]}"
for i in 1 2; do
	grep -q 'run for a while' "$directory/errors.$i" &&
		{ [ "$(id -u)" != 0 ] || [ "${VMTAP_SANITIZED:-0}" = 1 ]; } && continue
	grep -q '^10 10$' "$directory/both.$i" || { cp "$directory/both.$i" "$directory/out" && cp "$directory/errors.$i" "$directory/err" &&
		fail "one of two tracers has not all events"; }
done
exit 0
