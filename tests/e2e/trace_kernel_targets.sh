#!/bin/bash
# Processes of all kinds by the kernel: one whose main thread has ended, one whose program has been
# replaced on disk, one in a container, one that forks; two tracers on one site.
# tests: src/kernel/process/source_process.c src/kernel/bpf/bpf_namespace.c
set -u
. tests/e2e/common

need_kernel
loader=$directory/loader target=$directory/target
$CC -O2 -o "$loader" tests/tools/usdt_loader.c -pthread -ldl &&
	$CC -O2 -fPIC -shared -DLIBRARY -o "$directory/libone.so" tests/tools/usdt_loader.c &&
	$CC -O2 -fPIC -shared -DLIBRARY -o "$directory/libtwo.so" tests/tools/usdt_loader.c &&
	$CC -O2 -o "$target" tests/tools/usdt_target.c -pthread || fail "compiling"
mkfifo "$directory/in"

start() { # the loader's first lines
	rm -f "$directory/said" # of the one before
	setsid "$loader" <"$directory/in" >"$directory/said" 2>"$directory/complaints" &
	running=$!
	pids+=("$running")
	exec 3>"$directory/in"
	printf '%s\nsay ready\n' "$1" >&3
	await "the loader is not ready" grep -q ready "$directory/said"
}
trace() { # name, arguments
	VMTAP_DEBUG=kernel "$VMTAP" trace -q -o "$directory/$1" "${@:2}" >"$directory/out" 2>"$directory/$1.err" 3>&- &
	pids+=($!)
	await "$1: nothing is attached to" grep -q "process $running is watched" "$directory/$1.err"
}
counted='later$target:::number { @ = sum(arg0); }'

# ---- the main thread has ended ----

start "load $directory/libone.so
lone"
is_zombie() { grep -q '^State:[[:space:]]*Z' "/proc/$running/status"; }
await "the main thread does not end" is_zombie
trace headless -p "$running" -n "$counted"
printf 'call 5\nload %s\ncall 3\n' "$directory/libtwo.so" >&3
exec 3>&-
wait "${pids[-1]}" || fail "the trace of a process whose main thread has ended"
grep -qE '^ *21$' "$directory/headless" || fail "a process whose main thread has ended: $(cat "$directory/headless")"

# ---- the program and its library are replaced while the process runs; it forks; two tracers ----

cp "$directory/libone.so" "$directory/libold.so"
start "load $directory/libold.so"
echo other >"$directory/new"
mv "$directory/new" "$directory/libold.so"
rm "$loader"
trace replaced -p "$running" -n "$counted"
trace second -p "$running" -n "$counted" -n 'later$target:::number { @n = count(); }'
printf 'call 4\nfork 200\ncall 2\n' >&3
exec 3>&-
wait "${pids[-1]}" && wait "${pids[-2]}" || fail "the traces of a process that forks"
wait "$running" || fail "the process with 200 children failed: $(cat "$directory/complaints")"
for name in replaced second; do
	grep -qE '^ *13$' "$directory/$name" || fail "$name: $(cat "$directory/$name")"
done
grep -qE '^ *6$' "$directory/second" || fail "the second tracer: $(cat "$directory/second")"

# ---- containers ----

# Within a pid namespace, vmtap refuses processes of namespaces below (tests/e2e/trace_nest.sh).
if [ "$(stat -Lc %i /proc/self/ns/pid)" != $((0xeffffffc)) ]; then
	echo "left out: a process in a container: vmtap is in one itself"
elif unshare -m -p -f --mount-proc true 2>/dev/null; then
	mkdir "$directory/hidden"
	cat >"$directory/container.sh" <<-'CONTAINER'
		mount -t tmpfs none "$1/hidden" && cp "$1/target" "$1/hidden/inside" && exec "$1/hidden/inside" wait
	CONTAINER
	rm -f "$directory/said"
	unshare -m -p -f --mount-proc bash "$directory/container.sh" "$directory" <"$directory/in" >"$directory/said" &
	pids+=($!)
	exec 3>"$directory/in"
	await "the container is not ready" grep -q ready "$directory/said"
	running=$(pgrep -f -x "$directory/hidden/inside wait")
	[ ! -e "$directory/hidden/inside" ] || fail "the program in the container can be seen outside"
	trace container -p "$running" -n 'sample$target:::number { @[execname, pid] = sum(arg0); }'
	printf 'go\n' >&3
	exec 3>&-
	wait "${pids[-1]}" || fail "the trace of a process in a container"
	grep -qE "^ *inside +$running +500500\$" "$directory/container" || fail "a container: $(cat "$directory/container")"
else
	echo "left out: a process in a container: unshare is not permitted"
fi

# A process whose files vmtap may not read: the line says what is missing.
if [ "$(id -u)" = 0 ] && setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace true 2>/dev/null; then
	sleep 1000 &
	pids+=($!)
	for via in auto kernel; do
		setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace "$VMTAP" trace --via=$via -q -p "${pids[-1]}" \
			-n 'later*:::begins { }' >"$directory/out" 2>"$directory/err" && fail "it may not be traced"
		has err 'its files cannot be read, for which vmtap needs the capability CAP_SYS_PTRACE'
	done
else
	echo "left out: files that cannot be read: it needs root and setpriv"
fi
exit 0
