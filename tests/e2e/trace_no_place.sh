#!/bin/bash
# A VM serves 64 clients. A tracer that comes when all of them are active is told so at once, and
# one that comes when others only hold their places, with bytes that are no request, is served.
# tests: src/shim/server/admission.c
set -u
. tests/e2e/common
alone "$0"

cat >"$directory/hold.py" <<'PYTHON'
# Holds 64 places: sends again and again what is named, and says when it has begun.
import socket, sys, time
frame = {"half": b"V", "whole": b"VMTL" + bytes(5) + b"\1" + bytes(3)}[sys.argv[2]]
clients = []
for i in range(64):
    clients.append(socket.socket(socket.AF_UNIX))
    clients[-1].connect(sys.argv[1])
begun = False
while True:
    for client in clients:
        try:
            client.send(frame)
        except OSError:
            pass
    if not begun:
        begun = print("begun", flush=True) or True
    time.sleep(0.1)
PYTHON

hold() { # half or whole
	forget_output
	"$TOY" tests/toy/loop.toy &
	toy=$!
	pids+=("$toy")
	await_stream "$toy"
	"$VMTAP" ps --json >"$directory/ps"
	path=$(python3 -c 'import json, sys
print(*(vm["socket"] for vm in json.load(sys.stdin) if vm["pid"] == int(sys.argv[1])))' "$toy" <"$directory/ps")
	python3 "$directory/hold.py" "$path" "$1" >"$directory/held" &
	holder=$!
	pids+=("$holder")
	await "no client holds its place" grep -q begun "$directory/held"
}
leave() {
	kill -9 "$holder" "$toy"
	wait "$holder" "$toy" 2>/dev/null
	return 0
}

hold whole
full="process $toy \\(toy\\) ended, or closed its event stream, before it opened its probes: 64 clients are connected, the most there may be\$"
run 1 trace -q -p "$toy" -n 'vm$target:::method-entry { exit(0); }'
has err "$full"
run 3 record -p "$toy" -o "$directory/log"
has err "^vmtap: $full"
run 0 record --ghc-only -p "$toy" -o "$directory/log"
has err "^vmtap: process $toy \\(toy\\): 64 clients are connected"
leave

hold half
run 0 trace -q -p "$toy" -n 'vm$target:::method-entry { exit(0); }'
run 0 trace -q --lossless -p "$toy" -n 'vm$target:::method-entry { exit(0); }'
leave
