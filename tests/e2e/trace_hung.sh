#!/bin/bash
# VMs that hang beside a good one: four accept connections and answer nothing, four hang between
# declaring their events and opening their probes, four are stopped while they are traced, one has a
# socket at a place of its own, and one has no room for another connection. All have one deadline, so
# nothing takes a second for each: not the beginning, not a look at their names, not
# ps, and not the end after a signal. One that answers at last joins.
# tests: src/targets/find/connect.c
set -u
. tests/e2e/common
alone "$0"
command -v python3 >/dev/null || { echo "no python3"; exit 77; }

export XDG_RUNTIME_DIR=$directory/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR" "$XDG_RUNTIME_DIR/vmtap"
name=steady
cp "$TOY" "$directory/$name"
cp "$TOY" "$directory/held"
cp tests/toy/loop.toy "$directory/loop.toy"
start() { # program; they all calculate without an end, which is not to slow down other tests
	nice -n 19 "$directory/$1" "$directory/loop.toy" >"$directory/program.out" 2>&1 &
	pid=$!
	pids+=("$pid")
	await_stream "$pid"
}
# Passes on what a VM says until it is asked for probes; from then on nothing, until a file appears.
cat >"$directory/hung.py" <<'PYTHON'
import ctypes, os, socket, sys, threading, time
place = f"{os.environ['XDG_RUNTIME_DIR']}/vmtap/"
server = socket.socket(socket.AF_UNIX)
path = place + str(os.getpid())
if sys.argv[1] == "apart":
    path = sys.argv[2]
def relay(source, target, held):
    first = True
    try:
        while data := source.recv(1 << 16):
            if held and (len(data) > 14 or not first):
                while not os.path.exists(sys.argv[2]):
                    time.sleep(0.01)
            first = False
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):  # the other direction's recv() ends, too, and the VM has a place for others
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
def serve():
    ctypes.CDLL(None).prctl(15, b"vmtap")  # PR_SET_NAME
    server.bind(path)
    server.listen()
    kept = []
    if sys.argv[1] == "full":
        server.listen(0)
        try:
            while True:
                kept.append(socket.socket(socket.AF_UNIX))
                kept[-1].setblocking(False)
                kept[-1].connect(path)
        except BlockingIOError:
            open(sys.argv[2], "w").close()
    if sys.argv[1] in ("apart", "full"):
        threading.Event().wait()
    while True:
        client = server.accept()[0]
        kept.append(client)
        if sys.argv[1] == "brief":
            client.sendall(b"hdrbhetbhetehdredatb\xff\xff")
            continue
        if sys.argv[1] == "0":
            continue
        vm = socket.socket(socket.AF_UNIX)
        vm.connect(place + sys.argv[1])
        threading.Thread(target=relay, args=(vm, client, False), daemon=True).start()
        threading.Thread(target=relay, args=(client, vm, True), daemon=True).start()
threading.Thread(target=serve).start()
PYTHON
hang() { # the VM whose words it passes on, or 0, apart, full, brief; a file
	python3 "$directory/hung.py" "$1" "$2" 2>/dev/null &
	hung=$!
	pids+=("$hung")
	case $1 in
	apart | full) await "it does not listen" test -e "$2" ;;
	*) await "it does not listen" test -S "$XDG_RUNTIME_DIR/vmtap/$hung" ;;
	esac
}
# The limit is for an idle machine without sanitizers. On a busy one everything takes longer, as a trace
# of the good one does.
within() { # seconds, since when, what
	local now passed alone limit=$(($1 * 1000))
	[ "${VMTAP_SANITIZED:-0}" = 0 ] || limit=$((limit * 3))
	now=$(date +%s%N)
	passed=$(((now - $2) / 1000000))
	[ "$passed" -ge "$limit" ] || return 0
	"$VMTAP" trace -q -p "$good" -n 'vm$target:::method-entry { exit(0); }' >/dev/null 2>&1
	alone=$((($(date +%s%N) - now) / 1000000))
	[ "$passed" -lt "$((limit + 10 * alone))" ] || fail "$3: $passed ms, and $alone ms for one VM"
}

start $name
good=$pid
start held
behind=$pid
mutes=() halves=() held=()
for i in 1 2 3 4; do
	hang 0 "$directory/never"
	mutes+=("$hung")
	hang "$behind" "$directory/go"
	halves+=("$hung")
	start held
	held+=("$pid")
done
hang apart "$directory/apart"
apart=$hung
hang full "$directory/full"
full=$hung
# not one that hangs: its stream ends in order before it has opened its probes
hang brief "$directory/never"
brief=$hung
seen='vm*:::method-entry /!seen[pid]/ { seen[pid] = 1; printf("%d\n", pid); } END { printf("end\n"); }'

# A trace of all, and its end, which waits neither for those that do not open their probes nor for those
# that are stopped meanwhile.
begun=$(date +%s%N)
forget_output
"$VMTAP" trace -q -n 'BEGIN { printf("begun\n"); } '"$seen" >"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
for pid in "$good" "${held[@]}"; do
	await "$pid is not traced" grep -q "^$pid$" "$directory/out"
done
within 8 "$begun" "a trace begins late"
for pid in "${mutes[@]}"; do
	await "nothing is said of $pid" grep -q "process $pid .* has not declared its events" "$directory/err"
done
for pid in "${halves[@]}"; do
	await "nothing is said of $pid" grep -qE "process $pid .* has not (declared its events|opened its probes)" "$directory/err"
done
for pid in "$apart" "$full"; do
	await "nothing is said of $pid" grep -q "process $pid .* does not answer" "$directory/err"
done
await "nothing is said of $brief" grep -q "process $brief .* ended, or closed its event stream" "$directory/err"
[ -z "$(grep '^vmtap: process' "$directory/err" | sort | uniq -d)" ] || fail "a line comes twice"
kill -STOP "${held[@]}"
begun=$(date +%s%N)
kill -INT "$tracer"
wait "$tracer" || fail "status $?"
has out '^end$'
within 2 "$begun" "a trace ends late"

# --wait asks each for its name.
begun=$(date +%s%N)
run 0 trace -q --wait $name -n 'vm*:::method-entry { printf("%d\n", pid); exit(0); }'
has out "^$good$"
within 8 "$begun" "--wait"

begun=$(date +%s%N)
run 0 ps
for pid in "$good" "${mutes[@]}" "${halves[@]}" "${held[@]}" "$apart" "$full"; do
	has out "^ *$pid "
done
within 8 "$begun" ps

# Each of the other verbs takes the good one.
echo 'vm*:::method-entry { @["calls"] = count(); exit(0); }' >"$directory/calls.d"
for words in "top --plain -s $directory/calls.d" "serve --listen 127.0.0.1:0 -s $directory/calls.d" \
	"dump $good" "flame --seconds 1 --samples $good" "heap --seconds 1 $good"; do
	begun=$(date +%s%N)
	# shellcheck disable=SC2086 # several words
	timeout 60 "$VMTAP" $words >"$directory/out" 2>"$directory/err" </dev/null
	status=$?
	[ $status != 124 ] || fail "$words: it hangs"
	within 10 "$begun" "$words"
done

# One that answers at last is traced.
forget_output
"$VMTAP" trace -q -n 'BEGIN { printf("begun\n"); } '"$seen" >"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
await "nothing is said of ${halves[0]}" grep -qE "process ${halves[0]} .* has not (declared its events|opened its probes)" "$directory/err"
touch "$directory/go"
for pid in "${halves[@]}"; do
	await "$pid is not traced" grep -q "^$pid$" "$directory/out"
done
kill -INT "$tracer"
wait "$tracer" || fail "status $?"
