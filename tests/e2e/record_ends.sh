#!/bin/bash
# How a recording ends: with the VM, by ^C, SIGTERM, a killed VM, the largest size, a full disk;
# and the messages when there is nothing to record.
# tests: src/cli/record/record.c src/source/log_output.c
set -u
. tests/e2e/common

cp tests/toy/loop.toy "$directory/loop.toy"
log=$directory/log

start_toy() {
	"$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
	pid=$!
	pids+=("$pid")
	await_stream "$pid"
}

# Starts a recording of the toy VM; returns when the file has events.
start_record() { # options
	rm -f "$log"
	"$VMTAP" record -p "$pid" -o "$log" "$@" >"$directory/out" 2>"$directory/err" &
	recorder=$!
	pids+=("$recorder")
	await "no recorded events" is_larger 200000
}
size() { stat -c %s "$log" 2>/dev/null || echo 0; }
is_larger() { [ "$(size)" -gt "$1" ]; }

ended() { # status: of the recorder
	local status
	wait "$recorder"
	status=$?
	[ "$status" = "$1" ] || fail "status $status, expected $1"
}

is_whole() { # checks that the log just read ends properly
	has_not err 'byte [0-9]+'
}

# The number of calls in the log.
entries() {
	run 0 trace -q --log "$log" -n 'vm*:::method-entry { @n = count(); } END { printa("%@d\n", @n); }'
	grep -E '^[0-9]+$' "$directory/out"
}

# a command, from its first event to its last; the log has as many as a lossless trace counts
calls='vm$target:::method-entry { @n = count(); } END { printa("%@d\n", @n); }'
run 0 record --lossless -o "$log" -c "$TOY examples/toy/programs/queens.toy"
is_silent || fail "a recording says something"
recorded=$(entries)
is_whole
run 0 trace -q --lossless -c "$TOY examples/toy/programs/queens.toy" -n "$calls"
traced=$(grep -E '^[0-9]+$' "$directory/out")
[ "$recorded" = "$traced" ] || fail "recorded $recorded calls, traced $traced"
[ "$(stat -c %a "$log")" = 600 ] || fail "others can read the log"

# only the probes that -n names
run 0 record --lossless -o "$log" -n 'vm$target:::gc-*,vm*:::startup' -n 'vm$target:::thread-r?n' \
	-c "$TOY examples/toy/programs/binary_trees.toy 10"
run 0 trace -q --log "$log" -n 'vm*::: { @[probename] = count(); }'
has out gc-start
has out thread-run
has out startup
has_not out 'method-entry|pause-begin|thread-stop'

# samples of the heap too, but only if asked for
run 0 record --lossless -o "$log" -n 'vm*:::startup' --heap-profile=10ms \
	-c "$TOY examples/toy/programs/binary_trees.toy 16"
run 0 log "$log"
has out '^  heap samples  [1-9]'
run 0 log --dump "$log"
has out '^[0-9]+ - HEAP_PROF_BEGIN profile=0 period=10000000 '
run 0 log --validate "$log"
run 0 record --lossless -o "$log" -n 'vm*:::startup' --heap-profile=1h \
	-c "$TOY examples/toy/programs/queens.toy"
has err '^vmtap: process [0-9]+ \(.*\) has given no samples of its heap$'
run 0 record --lossless -o "$log" -c "$TOY examples/toy/programs/binary_trees.toy 10"
run 0 log "$log"
has out '^  heap samples  0$'

# on a terminal: the progress, in one line that is overwritten, and the end of the recording
python3 - "$VMTAP" "$log" "$TOY" >"$directory/out" <<'PYTHON' || fail "on a terminal"
import os, pty, re, sys
vmtap, log, toy = sys.argv[1:]
child, terminal = pty.fork()
if not child:
    os.execv(vmtap, [vmtap, "record", "--lossless", "-o", log, "-c",
        toy + " examples/toy/programs/queens.toy"])
text = b""
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    text += piece
print(text)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
last = text.decode().splitlines()[-1]
assert re.fullmatch(r"(.*\r)?[0-9]+ events, [0-9.]+ MB, [0-9.]+ MB/s, 0 lost *", last), last
PYTHON

# ^C on a terminal reaches the command too, and the file still ends properly; the progress fits
# into one line of the terminal, so that it can be overwritten
python3 - "$VMTAP" "$log" "$TOY $directory/loop.toy" >"$directory/out" <<'PYTHON' || fail "^C on a terminal"
import fcntl, os, pty, re, struct, sys, termios
vmtap, log, command = sys.argv[1:]
child, terminal = pty.fork()
if not child:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
    os.execv(vmtap, [vmtap, "record", "-o", log, "-c", command])
text = b""
while True:
    try:
        piece = os.read(terminal, 4096)
    except OSError:
        break
    if not piece:
        break
    if b"events" in piece and b"events" not in text:
        os.write(terminal, b"\x03")
    text += piece
print(text)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
said = re.sub(r"\r\nvmtap: [0-9]+ MB in .*\r\n", "", text.decode()) # a fast machine is told what records less
shown = re.findall(r"\r([^\r\n^]+)", said) # without the echo, ^C
assert len(shown) > 1 and all(re.match("[0-9]+ events, ", line) for line in shown), shown
# each one covers the one before
assert all(len(line) == 29 for line in shown), shown
assert b"\x1b" not in text, text
assert b"without closing" not in text, text
PYTHON
run 0 log "$log"
has out '^  end           in order$'

# after ^C, SIGTERM and the end of the terminal the file ends properly
start_toy
for signal in INT TERM HUP; do
	start_record
	kill -"$signal" "$recorder"
	ended 0
	[ "$(entries)" -gt 0 ] || fail "no events after SIG$signal"
	is_whole
done

# the largest size: not a byte more, and a proper end
run 0 record -p "$pid" -o "$log" --max-size 100k
has err "^vmtap: '$log' has reached its largest size: the recording is ended$"
[ "$(size)" -le 102400 ] && is_larger 102000 || fail "$(size) bytes"
[ "$(entries)" -gt 0 ] || fail "no events"
is_whole
run 3 record -p "$pid" -o "$log" --max-size 100
has err 'max-size is too small: the header takes [0-9]+ bytes$'

# rotated files: the last ones are kept, and each can be read on its own
start_record --lossless --max-size 200k --rotate 3
exec {first}<"$log" # as long as it is open, no new file gets its inode number
inode=$(stat -L -c %i "/proc/self/fd/$first")
await "no rotation" test -e "$log.2"
await "no further rotation" bash -c "! stat -c %i $log $log.1 $log.2 | grep -qx $inode"
exec {first}<&-
kill -INT "$recorder"
ended 0
[ ! -e "$log.3" ] || fail "a file too many"
rotated=$log
for log in "$rotated" "$rotated.1" "$rotated.2"; do
	[ "$(size)" -le 204800 ] || fail "$log has $(size) bytes"
	run 0 trace -q --log "$log" -n 'vm*:::method-entry { @[pid, execname, copyinstr(arg0), copyinstr(arg1)] = count(); }'
	# the last one may have been begun just before the end
	[ "$log" = "$rotated" ] && ! grep -q . "$directory/out" || has out "^ +$pid +toy +Worker +work +[0-9]+$"
	is_whole
	[ "$(grep -c . "$directory/out")" = 1 ] || fail "$log: names"
	run 0 log --validate "$log"
done
# a whole heap sample is in one file or, if it is larger than a file, continues in the next one
rm -f "$rotated"*
run 3 record -o "$rotated" -n 'vm*:::gc-start' --heap-profile=1ms --max-size 100 \
	-c "$TOY examples/toy/programs/binary_trees.toy 12"
header=$(sed -n 's/.* the header takes \([0-9]*\) bytes$/\1/p' "$directory/err")
[ -n "$header" ] || fail "the size of the header is not told"
run 0 record --lossless -o "$rotated" -n 'vm*:::gc-start' --heap-profile=1ms --max-size $((header + 1808)) \
	--rotate 10000 -c "$TOY examples/toy/programs/binary_trees.toy 14"
[ -e "$rotated.2" ] || fail "no rotation"
for log in "$rotated" "$rotated".*; do
	run 0 log --validate "$log"
	run 0 log --dump "$log"
	[ "$(grep -c HEAP_PROF_SAMPLE_BEGIN "$directory/out")" = \
		"$(grep -c HEAP_PROF_SAMPLE_END "$directory/out")" ] || fail "$log: a part of a sample"
done
rm -f "$rotated".*
run 0 record --lossless -o "$rotated" -n 'vm*:::gc-start' --heap-profile=1ms --max-size $((header + 578)) \
	--rotate 10000 -c "$TOY examples/toy/programs/binary_trees.toy 12"
for log in "$rotated" "$rotated".*; do
	run 0 log --validate "$log"
done
rm -f "$rotated".*

log=$rotated

# a recording that cannot start leaves the file unchanged
echo precious >"$log"
run 1 record -p "$pid" -o "$log" -n 'vm*:::nosuch'
run 3 record --via=stream -p $$ -o "$log"
run 3 record -p "$pid" -o "$log" --max-size 10
[ "$(cat "$log")" = precious ] || fail "a file was lost for a recording that did not begin"
run 3 record -p "$pid" -o "$directory"
has err "^vmtap: $directory: Is a directory$"

# the VM is killed: everything up to the last whole event
start_record
kill -9 "$pid"
ended 0
has err "^vmtap: process $pid \(toy\) ended without closing its event stream: '$log' ends after its last whole event$"
run 0 trace -q --log "$log" -n 'vm*:::method-entry { @n = count(); } END { printa("%@d\n", @n); }'
has out '^[1-9][0-9]*$'
has err 'the log ends without an end marker: it is truncated$'
wait "$pid" 2>/dev/null

# a full disk
if [ "$(id -u)" = 0 ] && mkdir "$directory/full" &&
	mount -t tmpfs -o size=300k none "$directory/full" 2>/dev/null; then
	run 3 record -o "$directory/full/log" -c "$TOY $directory/loop.toy"
	cp "$directory/full/log" "$log"
	umount "$directory/full"
	has err "^vmtap: .*/full/log: No space left on device: the file ends after the last whole event, at byte $(size)$"
	[ "$(wc -l <"$directory/err")" = 1 ] || fail "more than one line"
	run 0 trace -q --log "$log" -n 'vm*:::method-entry { @n = count(); } END { printa("%@d\n", @n); }'
	has out '^[1-9][0-9]*$'
	has err 'the log ends without an end marker: it is truncated$'
else
	echo "left out: a full disk: it needs root and a file system to mount"
fi

# a file that reaches the process's limit, anywhere in an event or in the header
for limit in 100 5000 20001 20014 20027 20040 20053 20066 99999; do
	timeout "${COMMAND_SECONDS:-300}" prlimit --fsize=$limit "$VMTAP" record -o "$log" -n 'vm*:::method-entry,vm*:::startup' \
		-c "$TOY $directory/loop.toy" 2>"$directory/err" >"$directory/out"
	[ $? = 3 ] || fail "a limit of $limit bytes: not exit status 3"
	[ "$(wc -l <"$directory/err")" = 1 ] || fail "a limit of $limit bytes: not one line"
	if [ "$limit" -lt 6000 ]; then
		has err "^vmtap: $log: File too large: not even the header can be written$"
		[ "$(size)" = 0 ] || fail "a part of a header"
		continue
	fi
	has err "^vmtap: $log: File too large: the file ends after the last whole event, at byte $(size)$"
	[ "$(size)" -le "$limit" ] && is_larger $((limit - 100)) || fail "a limit of $limit: $(size) bytes"
	run 1 log --validate "$log"
	[ "$(cat "$directory/out")" = "$log: byte $(size): the log ends without an end marker: it is truncated" ] ||
		fail "a limit of $limit bytes: more is wrong than the end"
done

# a stream that breaks off within a block: everything before it, and which process sent it
python3 - "$directory/socket" <<'PYTHON' &
import socket, struct, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
vm, _ = server.accept()
stream = b"hdrbhetb"
for number, size, text in (18, 14, b"block"), (416, 8, b"vm:::work(uint64_t n)"):
    stream += b"etb\0" + struct.pack(">HHI", number, size, len(text)) + text + bytes(4) + b"ete\0"
stream += b"hetehdredatb" + struct.pack(">HQIQH", 18, 1, 1000, 9, 0)
stream += struct.pack(">HQQ", 416, 2, 5) * 3 + struct.pack(">HQ", 999, 3)
vm.sendall(stream)
while vm.recv(4096):
    pass
PYTHON
pids+=($!)
await "no socket" test -S "$directory/socket"
run 3 record --socket "$directory/socket" -o "$log"
has err "^vmtap: process $! \(python3?[0-9.]*\): event stream: byte $(size): event type 999 was not declared$"
run 1 log --validate "$log"
[ "$(cat "$directory/out")" = "$log: byte $(size): the log ends without an end marker: it is truncated" ] ||
	fail "more is wrong than the end"
run 0 trace -q --log "$log" -n 'vm*:::work { @n = sum(arg0); } END { printa("%@d\n", @n); }'
has out '^15$'

# before the file exists, a signal ends the command, whatever it is waiting for
rm -f "$log"
mkfifo "$directory/line"
"$VMTAP" record --via=stream -o "$log" -c "sh -c 'read -r line <>$directory/line'" >/dev/null 2>&1 &
recorder=$!
pids+=("$recorder")
await "no command" pgrep -P "$recorder"
kill -TERM "$recorder"
ended 143
[ ! -e "$log" ] || fail "a file without a recording"

# only regular files are renamed
mkfifo "$directory/fifo"
run 3 record -o "$directory/fifo" --max-size 100k --rotate 2 -c "$TOY $directory/loop.toy"
has err "^vmtap: $directory/fifo: only regular files can be rotated$"
[ -p "$directory/fifo" ] || fail "a pipe was replaced"
# a pipe whose reader closes it
timeout "${COMMAND_SECONDS:-300}" "$VMTAP" record -o - -c "$TOY $directory/loop.toy" 2>"$directory/err" |
	head -c 100000 >"$directory/out"
[ "${PIPESTATUS[0]}" = 3 ] || fail "a closed pipe does not end the recording"
has err '^vmtap: /dev/stdout: Broken pipe$'
# ... or stops reading
run 3 record -o /dev/full -c "$TOY $directory/loop.toy"
has err '^vmtap: /dev/full: No space left on device'

# targets that cannot be recorded: one line each
run 3 record -o /nonexistent/log -c "$TOY examples/toy/programs/queens.toy"
has err '^vmtap: /nonexistent/log: No such file or directory$'
run 3 record -p "$pid" -o "$log"
has err "^vmtap: process $pid does not exist$"
run 3 record --via=stream -o "$log" -c true
has err '^vmtap: process [0-9]+ \(.*\) has ended without serving an event stream$'
for wrong in "" "-p 1" "-o x" "-p 1 -c true -o x" "-p 1x -o x" "-p 1 -o x --max-size 0" \
	"-p 1 -o x --max-size 5q" "-p 1 -o x --rotate 2" "-p 1 -o x --max-size 1m --rotate 0" \
	"-p 1 -o x --heap-profile=5" "-p 1 -o x --heap-profile=x" "-p 1 -o x --heap-profile=0ms" \
	"-p 1 -o x more" "-p 1 -o x --nosuch" "-p 1 -o"; do
	# shellcheck disable=SC2086
	run 2 record $wrong
	has err "Try 'vmtap record --help'"
done
run 1 record -o "$log" -n 'vm$target:::gc-start { exit(0); }' -c "$TOY examples/toy/programs/queens.toy"
has err 'only a probe description, without predicate or action$'
run 1 record -o "$log" -n 'vm$target:::nosuch' -c "$TOY examples/toy/programs/queens.toy"
has err "^vmtap: -n 'vm.target:::nosuch': probe description .* does not match any probes"
run 1 record --ghc-only -o "$log" -n 'vm$target:::method-entry' -c "$TOY examples/toy/programs/queens.toy"
has err '^vmtap: none of the probes of -n is an event of GHC'
run 1 record -o "$log" -n 'BEGIN' -c "$TOY examples/toy/programs/queens.toy"
has err 'BEGIN cannot be recorded: it is no event of the VM$'
exit 0
