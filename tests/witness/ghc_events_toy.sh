#!/bin/bash
# Debian's ghc-events reads the toy VM's logs, with vmtap's events and without, and finds as many
# of each event as `vmtap log` counts; it also reads the live stream. Its checks of threads and
# sparks find no error (they exit with 0 even then, so the test reads their text).
set -u
. tests/witness/ghc_events
need_ghc_events
. tests/e2e/common
log=$directory/log

validate() { # what
	for machine in threads sparks; do
		ghc-events validate "$machine" "$log" >"$directory/out" 2>"$directory/err" ||
			fail "$1: validate $machine"
		grep -q '^Valid event log' "$directory/out" || fail "$1: validate $machine"
	done
	run 0 log --validate "$log"
}

# Compares what `vmtap log` counts of a type with what ghc-events shows in its own words.
compare() { # program
	local name words counted shown
	ghc-events show "$log" 2>"$directory/err" | sed '1,/^Events:/d' >"$directory/shown"
	is_silent || fail "$1: ghc-events show"
	run 0 log "$log"
	while read -r name words; do
		counted=$(awk -v name="$name" '$1 == name { print $2 }' "$directory/out")
		shown=$(grep -cE -- "$words" "$directory/shown")
		[ "${counted:-0}" = "$shown" ] || fail "$1: $name: ${counted:-0}, shown $shown"
	done <<'NAMES'
0 creating thread
1 running thread
2 stopping thread
3 is runnable$
8 waking up thread
9 starting GC
10 finished GC
15 creating spark thread
38 running a local spark
39 stealing a spark
44 has label
45 created cap [0-9]+$
50 size of heap
51 live data in heap
55 task 0x.* created on cap
NAMES
}

for program in examples/toy/programs/*.toy; do
	for mode in --ghc-only ''; do
		# all events of some programs would take gigabytes
		probes=(-n 'vm*:::thread-*' -n 'vm*:::gc-*,vm*:::spark-*,vm*:::heap,vm*:::cap-*,vm*:::task-*')
		# shellcheck disable=SC2086
		run 0 record --lossless $mode "${probes[@]}" -o "$log" -c "$TOY --caps=3 $program"
		validate "$program"
		compare "$program"
	done
done
grep -q 'vmtap: no earlier event' "$directory/shown" || fail "vmtap's events are not in the log"
run 0 record --lossless --ghc-only -o "$log" -c "$TOY --caps=2 examples/toy/programs/parmap.toy"
validate "all of GHC's events"
compare "all of GHC's events"
grep -qi 'vmtap:\|vm:::\|unknown event' "$directory/shown" && fail "an event that ghc-events does not know"

# the live stream, through a pipe, and as a plain reader gets it from the socket
cat >"$directory/loop.toy" <<'TOY'
while true
  thread = Thread.new(fn()
    1
  end)
  thread.join
end
TOY
cat >"$directory/copy.py" <<'PYTHON'
import socket, sys
stream = socket.socket(socket.AF_UNIX)
stream.connect(sys.argv[1])
while True:
    piece = stream.recv(65536)
    if not piece:
        break
    sys.stdout.buffer.write(piece)
    sys.stdout.buffer.flush()
PYTHON
VMTAP_SOCKET=$directory/socket "$TOY" --caps=2 "$directory/loop.toy" >/dev/null 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
follow() { # what is followed; $reader is the pid of a reader that writes to the pipe
	: >"$directory/out"
	ghc-events inc "$directory/pipe" 3>&- >"$directory/out" 2>"$directory/err" &
	follower=$!
	pids+=("$follower")
	await "$1: nothing is shown while the VM runs" grep -q 'stopping thread .* (thread finished)' \
		"$directory/out"
	exec 3>&-
	kill -"$2" "$reader"
	wait "$reader"
	wait "$follower"
	is_silent || fail "$1"
	grep -q "capset 0: pid $pid$" "$directory/out" || fail "$1: no start-up events"
}
mkfifo "$directory/pipe"
# ghc-events treats a pipe that has no writer yet as one that has ended
exec 3<>"$directory/pipe"
"$VMTAP" record --ghc-only -p "$pid" -o "$directory/pipe" 3>&- &
reader=$!
pids+=("$reader")
follow "a recording" INT
exec 3<>"$directory/pipe"
python3 "$directory/copy.py" "$directory/socket" >"$directory/pipe" 3>&- &
reader=$!
pids+=("$reader")
follow "the socket" TERM
exit 0
