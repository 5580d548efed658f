#!/bin/bash
# Several processes by the kernel: one order of all events, each with its own process; one that ends
# leaves the others.
# tests: src/kernel/process/process_batch.c src/source/merge.c
set -u
. tests/e2e/common

need_kernel
$CC -O2 -o "$directory/target" tests/tools/usdt_target.c -pthread || fail "compiling"
waiting=()
for i in 0 1 2; do
	mkfifo "$directory/in$i"
	cp "$directory/target" "$directory/target$i"
	"$directory/target$i" wait <"$directory/in$i" >"$directory/ready$i" &
	waiting+=($!)
	pids+=($!)
	eval "exec $((i + 3))>$directory/in$i"
	await "a target is not ready" grep -q ready "$directory/ready$i"
done
"$VMTAP" trace -p "${waiting[0]}" -p "${waiting[1]}" -p "${waiting[2]}" -o "$directory/traced" \
	-n 'BEGIN { last = (uint64_t)0; disorder = 0; }
	sample*:::number { @n[pid, execname, probeprov] = count(); @s[pid] = sum(arg0);
		@bad = sum(strstr(probeprov, lltostr(pid)) == NULL); disorder += timestamp < last; last = timestamp; }
	END { printf("disorder %d", disorder); }' >"$directory/out" 2>"$directory/err" &
tracer=$!
semaphore() { "$VMTAP" list --json "$1" | grep -q '"traced": true'; }
for pid in "${waiting[@]}"; do
	await "the guard of process $pid does not open" semaphore "$pid"
done
# The first ends before the others fire.
echo go >&3
exec 3>&-
wait "${waiting[0]}" || fail "a target failed"
await "the end of a target is not told" grep -q "pid ${waiting[0]} has exited" "$directory/err"
echo go >&4
echo go >&5
exec 4>&- 5>&-
wait "${waiting[1]}" && wait "${waiting[2]}" || fail "a target failed"
wait "$tracer" || fail "the trace of three processes"
for i in 0 1 2; do
	pid=${waiting[i]}
	grep -qE "^ +$pid +target$i +sample$pid +1000$" "$directory/traced" || fail "process $pid: $(cat "$directory/traced")"
	grep -qE "^ +$pid +500500$" "$directory/traced" || fail "values of process $pid"
done
grep -qE 'disorder 0$' "$directory/traced" || fail "events are out of order"
grep -qE '^ +0$' "$directory/traced" || fail "providers of other processes"

# Several commands.
run 0 trace -q -c "$directory/target0 3" -c "$directory/target1 4" -n 'sample*:::number { @[execname] = count(); }'
has out '^ *target0 +3$'
has out '^ *target1 +4$'
exit 0
