#!/bin/bash
# Verbs that read a log show on a terminal how far they have come, and erase the line at the end; without
# a terminal, or on one that only takes lines (TERM=dumb), they show nothing.
# tests: src/source/recording_progress.c
set -u
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing" && exit 77; }
printf 'def work(n)\n  n + 1\nend\nk = 0\nwhile k < 100000\n  k = work(k)\nend\n' >"$directory/calls.toy"
run 0 record --lossless -o "$directory/log" -c "$TOY $directory/calls.toy"
for verb in 'export --chrome - -o' 'flame - -o' 'heap -' 'log -' 'dumb flame - -o'; do
	export TERM=vt100
	[ "${verb%% *}" != dumb ] || { TERM=dumb && verb=${verb#dumb }; }
	# shellcheck disable=SC2086
	timeout "${COMMAND_SECONDS:-300}" python3 - "$VMTAP" "$directory" $verb >"$directory/out" 2>"$directory/err" <<'P' || fail "$verb"
# The log comes by a pipe, in pieces, until there is a line about it; then the rest.
import os, pty, select, subprocess, sys, threading, time
vmtap, folder, *verb = sys.argv[1:]
if verb[-1] == "-o":
    verb.append(folder + "/file")
log = open(folder + "/log", "rb").read()
terminal, inside = pty.openpty()
program = subprocess.Popen([vmtap] + verb, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=inside)
os.close(inside)
taken = threading.Thread(target=program.stdout.read)
taken.start()
shown, at = b"", 0
def look(wait):
    global shown
    while select.select([terminal], [], [], wait)[0]:
        try:
            data = os.read(terminal, 4096)
        except OSError:
            return False
        if not data:
            return False
        shown += data
    return True
while b" million events" not in shown and at < len(log) * 3 // 4:
    piece = log[at:at + len(log) // 200]
    program.stdin.write(piece)
    program.stdin.flush()
    at += len(piece)
    look(0.02)
is_dumb = os.environ["TERM"] == "dumb"
assert is_dumb or b" million events" in shown, shown
program.stdin.write(log[at:])
program.stdin.close()
while look(1):
    pass
status = program.wait()
taken.join()
# the log has no samples of a heap
assert status == (3 if verb[0] == "heap" else 0), (status, shown)
if is_dumb:
    assert not shown, shown
    sys.exit()
assert shown.startswith(b"\r\x1b[Kvmtap: "), shown
# a last message may follow
assert b"million events\r\x1b[K" in shown and shown.rindex(b"\r\x1b[K") > shown.rindex(b"million events"), shown
P
done
"$VMTAP" log "$directory/log" >"$directory/out" 2>"$directory/err" || fail "log"
is_silent || fail "progress without a terminal"
exit 0
