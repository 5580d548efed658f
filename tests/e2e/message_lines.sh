#!/bin/bash
# Each message is written at once: a traced program that writes to the same file or terminal does not
# get its own words into the middle of one.
set -u
. tests/e2e/common

cat >"$directory/lines.py" <<'END'
"""Runs a command and says how many times it wrote to standard error, and how often not whole lines."""
import os
import subprocess
import sys

ours, theirs = os.pipe2(os.O_DIRECT)  # a read gives what one write has written
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
os.close(theirs)
writes = parts = 0
while data := os.read(ours, 65536):
    writes += 1
    parts += not data.endswith(b"\n")
process.wait()
print(writes, parts)
END
messages() { # least number, command
	python3 "$directory/lines.py" "${@:2}" >"$directory/out"
	read -r writes parts <"$directory/out"
	[ "$writes" -ge "$1" ] && [ "$parts" = 0 ] || fail "${*:2}: $writes writes, $parts of them not whole lines"
}
messages 30 "$VMTAP" trace -n 'BEGIN { i = 0; } tick-1ms { trace(*(int *)0); } tick-1ms /++i == 30/ { exit(0); }'
messages 1 "$VMTAP" trace -n 'BEGIN { trace(`nothing); }' -n 'x {'
messages 1 "$VMTAP" trace -l -n nothing
messages 1 "$VMTAP" list --no-such-option
messages 1 "$VMTAP" nothing
exit 0
