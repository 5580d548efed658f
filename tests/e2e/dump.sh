#!/bin/bash
# vmtap dump shows every guest thread with the stack that the interpreter itself tells, and what it waits
# for; hostile names; what cannot be shown. And vm:::heap-sample: what a VM counts when a script asks.
# tests: src/cli/dump/dump.c src/shim/extra/census.c src/shim/extra/walker.c
. tests/e2e/common
cat >"$directory/waits.toy" <<'TOY'
class Desk
  def work(lock)
    lock.acquire()
    lock.release()
  end
end
lock = Lock.new("held\e[2J")
queue = Queue.new(1)
lock.acquire()
waits = Thread.new(fn() Desk.new.work(lock) end)
Thread.new(fn() waits.join end)
Thread.new(fn() queue.pop end)
while true
  Thread.yield()
end
TOY
"$TOY" "$directory/waits.toy" >/dev/null 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
all_wait() {
	"$VMTAP" dump "$pid" >"$directory/out" 2>"$directory/err" &&
		[ "$(grep -c '^thread .*: waits for ' "$directory/out")" = 3 ]
}
await "the threads wait" all_wait
run 0 dump "$pid"
sed -E "s| \((native)?[^()]*/waits.toy:([0-9]+)\)| (waits.toy:\2)|" "$directory/out" >"$directory/seen"
diff - "$directory/seen" <<'LINES' || fail "the threads"
thread 4: waits for queue
              (anonymous) (waits.toy:12)

thread 3: waits for join (thread 2)
              (anonymous) (waits.toy:11)

thread 2: waits for held\033[2J (thread 1)
              Desk#work (waits.toy:3)
              (anonymous) (waits.toy:10)

thread 1: runs
              (file) (waits.toy:14)
LINES
# again and again, several at once
for i in 1 2 3; do
	"$VMTAP" dump "$pid" >"$directory/other.$i" &
	others[i]=$!
done
for i in 1 2 3; do
	wait "${others[i]}" || fail "a dump beside others"
	[ "$(grep -c '^thread' "$directory/other.$i")" -ge 4 ] || fail "a dump beside others lacks threads"
done
kill -0 "$pid" || fail "the VM has ended"

# all that is in the heap, three times
run 0 trace -x heapsample=20ms -qn 'BEGIN { n = 0; }
	vm$target:::heap-sample { printf("%d %s %d %d %d %d\n", arg0, copyinstr(arg1), arg2, arg3, arg4, arg5); }
	vm$target:::heap-sample /arg4 + 1 == arg5 && ++n == 3/ { exit(0); }' -p "$pid"
has out ' Thread [0-9]+ 4 [0-9]+ [0-9]+$'
has out ' Lock [0-9]+ 1 [0-9]+ [0-9]+$'
awk 'NF == 6 { if ($1 != last) { if (last && ++seen[last] && last + 1 != $1) exit 1; last = $1; next_index = 0; samples++ }
	if ($5 != next_index++) exit 1 } END { exit samples != 3 }' "$directory/out" || fail "three whole counts"

# several VMs in the process answer together, also when the first one has ended
cat >"$directory/beside.toy" <<'TOY'
class Crumb
end
list = []
for i in 0...500
  list.push(Crumb.new)
end
lock = Lock.new("shared")
lock.acquire()
Thread.new(fn() lock.acquire() end)
while true
  list.push(Crumb.new)
  list.pop()
end
TOY
cat >"$directory/ends.toy" <<'TOY'
VM.start("second", File.beside("beside.toy"))
VM.start("third", File.beside("beside.toy"))
TOY
cp "$directory/ends.toy" "$directory/stays.toy"
printf 'while true\n  Thread.yield()\nend\n' >>"$directory/stays.toy"
shows_all() { # how many threads run
	"$VMTAP" dump "$several" >"$directory/out" 2>"$directory/err" &&
		[ "$(grep -c '^thread .*: waits for shared' "$directory/out")" = 2 ] &&
		[ "$(grep -c '^thread .*: runs' "$directory/out")" = "$1" ]
}
counts_all() { # the census may fall between push and pop
	"$VMTAP" heap --once "$several" >"$directory/out" 2>"$directory/err" &&
		[ "$(awk '$NF == "Crumb" && $3 >= 1000 && $3 <= 1002' "$directory/out" | wc -l)" = 1 ]
}
for program in stays ends; do
	"$TOY" --caps=2 "$directory/$program.toy" >/dev/null 2>&1 &
	several=$!
	pids+=("$several")
	await_stream "$several"
	await "the threads of all VMs" shows_all $([ $program = stays ] && echo 3 || echo 2)
	for i in 1 2 3; do
		"$VMTAP" dump "$several" >"$directory/other.$i" &
		others[i]=$!
	done
	await "the heaps of all VMs" counts_all
	for i in 1 2 3; do
		wait "${others[i]}" || fail "a dump of several VMs beside others"
	done
	kill -9 "$several"
done

# a process that is no VM; one that does not come to a safepoint in time; wrong options
run 3 dump --via=stream $$
has err 'serves no event stream'
kill -STOP "$pid"
run 3 dump --timeout 1 "$pid"
run 3 dump --seconds 1 "$pid"
kill -CONT "$pid"
for wrong in '' '1 1' '-x' '--timeout' '--timeout 0 1' '--seconds 0 1' '--wait toy' '-c true' '1a'; do
	# shellcheck disable=SC2086
	run 2 dump $wrong
	has err 'vmtap'
done
run 0 dump --help
exit 0
