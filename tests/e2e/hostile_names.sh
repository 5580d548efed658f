#!/bin/bash
# What the traced program names cannot steer a terminal: escapes, C1 controls and characters that
# change the order of others are spelled out there, on standard output and standard error; into a file
# the bytes stay. system() takes no text of the program's for a command.
# tests: src/base/clean_text.c
. tests/e2e/common
alone "$0"
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }
python3 - "$directory" >"$directory/events" <<'P'
import sys
name = b"a\x1b[31m\xc2\x9bH\xe2\x80\xae\x07\xe2\x81\xa6z"
out = sys.stdout.buffer
out.write(b'block 0\n1000 method-entry "%s" "m" "f" 1 1\n' % name)
out.write(b'2000 method-return "%s" "m" "f" 1 1\n' % name)
out.write(b'3000 user-msg "x;touch %s/gone"\n4000 user-msg "it\'s"\nend\n' % sys.argv[1].encode())
P
make_log "$directory/events"
cat >"$directory/terminal.py" <<'P'
"""Runs a command with a terminal as its output and its errors; prints what comes there."""
import os, pty, sys
pid, fd = pty.fork()
if not pid:
    os.execv(sys.argv[1], sys.argv[1:])
text = b""
while True:
    try:
        more = os.read(fd, 65536)
    except OSError:
        break
    if not more:
        break
    text += more
os.waitpid(pid, 0)
sys.stdout.buffer.write(text)
P
terminal() { python3 "$directory/terminal.py" "$VMTAP" "$@" >"$directory/out"; }
harmless() { # what
	python3 - "$directory/out" <<'P' || fail "$1 is raw: $(cat -v "$directory/out")"
import sys
text = open(sys.argv[1], "rb").read()
assert text and not any(raw in text for raw in (b"\x1b", b"\xc2\x9b", b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\x07")), text
P
}
for clause in 'printf("%s|%20s|%-9s|%.7s\n", copyinstr(arg0), copyinstr(arg0), copyinstr(arg0), copyinstr(arg0));' \
	'trace(copyinstr(arg0));' '@[copyinstr(arg0)] = count();' 'jstack();' '@[jstack()] = count();' \
	'@x[copyinstr(arg0)] = sum(1); printa("%s %@d\n", @x);' 'printf("%c%c", 27, 0x9b);' \
	'printf("%S\n", copyinstr(arg0));' 'this->s = copyinstr(arg0); print(this->s);' ; do
	for options in -q '' '-x agghist' '-x table' '-F'; do
		# shellcheck disable=SC2086
		terminal trace $options -n "vm*:::method-entry { $clause }" --log "$directory/log"
		harmless "$options $clause"
	done
done
terminal trace -qn 'vm*:::method-entry { printf("\033[1m%s\033[0m\n", copyinstr(arg0)); }' --log "$directory/log"
grep -q "$(printf '^\033\\[1ma\\\\033\\[31m')" "$directory/out" || fail "the script's own text: $(cat -v "$directory/out")"
terminal trace -x rawnames -qn 'vm*:::method-entry { printf("%s\n", copyinstr(arg0)); }' --log "$directory/log"
grep -q "$(printf 'a\033\\[31m')" "$directory/out" || fail "rawnames: $(cat -v "$directory/out")"
run 0 trace -qn 'vm*:::method-entry { printf("%s\n", copyinstr(arg0)); }' --log "$directory/log"
grep -q "$(printf 'a\033\\[31m')" "$directory/out" || fail "a file: $(cat -v "$directory/out")"
# An output that becomes a terminal later, or is one by another name.
cat >"$directory/reopened" <<'P'
exec "$@" >"${OUTPUT:?}"
P
reopened() { # output, and arguments of vmtap
	OUTPUT=$1 python3 "$directory/terminal.py" /bin/sh "$directory/reopened" "$VMTAP" "${@:2}" >"$directory/out"
}
raw=$(printf 'a\033\\[31m')
plain='printf("%s\n", copyinstr(arg0));'
reopened "$directory/file" trace -wqn "vm*:::method-entry { $plain freopen(\"/dev/tty\"); $plain }
	vm*:::method-return { trace(copyinstr(arg0)); freopen(\"\"); $plain }" --log "$directory/log"
harmless "freopen() of a terminal"
[ "$(grep -c "$raw" "$directory/file")" = 2 ] || fail "the file around freopen(): $(cat -v "$directory/file")"
reopened "$directory/file" trace -wqn "vm*:::method-entry { $plain freopen(\"/dev/tty\"); }
	vm*:::method-return { @[copyinstr(arg0)] = count(); }" --log "$directory/log"
harmless "a summary after freopen()"
reopened "$directory/file" trace -qo /dev/tty -n "vm*:::method-entry { $plain }" --log "$directory/log"
harmless "-o with a terminal"
terminal trace -wqn "vm*:::method-entry { freopen(\"$directory/other\"); $plain freopen(\"\"); $plain }" --log "$directory/log"
harmless "freopen() back to a terminal"
grep -q "$raw" "$directory/other" || fail "the file in between: $(cat -v "$directory/other")"
terminal log --dump "$directory/log"
harmless "log --dump"
run 0 log --dump "$directory/log"
harmless "log --dump into a file"
run 0 flame "$directory/log" -o -
harmless "an SVG"
run 0 flame --folded "$directory/log" -o -
harmless "folded stacks"
run 0 export --chrome "$directory/log" -o -
harmless "JSON of a timeline"
run 0 export --html "$directory/log" -o -
harmless "a page"
run 0 flame --pprof "$directory/log" -o "$directory/profile"
gzip -dc "$directory/profile" >"$directory/out" || fail "the profile is not compressed"
python3 - "$directory/out" <<'P' || fail "a profile has names that are raw"
import sys
text = open(sys.argv[1], "rb").read()
assert b"a?[31m?H??" in text and b"\x1b[" not in text, text
P
run 0 trace -x format=json -n 'vm*:::method-entry { printf("%s", copyinstr(arg0)); @[copyinstr(arg0)] = count(); }' --log "$directory/log"
harmless "JSON of a trace"

# A program whose file has such a name.
program="$directory/$(printf 'a\033[31m\302\233H\342\200\256\a\342\201\246\377z')"
cp "$TOY" "$program"
printf 'n = 0\nwhile true\n  n = n + 1\nend\n' >"$directory/loop.toy"
export XDG_RUNTIME_DIR=$directory/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
VMTAP_LOG=$directory/own.log "$program" "$directory/loop.toy" &
pid=$!
pids+=("$pid")
await_stream "$pid"
for arguments in "ps" "list $pid" "list -v $pid" "list --json $pid" "trace -l -p $pid" "trace -lv -p $pid"; do
	# shellcheck disable=SC2086
	terminal $arguments
	harmless "$arguments"
done
for verb in check list "log --validate"; do
	# shellcheck disable=SC2086
	terminal $verb "$program"
	harmless "$verb of a file"
done
terminal ps --json
harmless "ps --json"
python3 - "$directory/out" "$program" <<'P' || fail "ps --json"
import json, os, sys
name = os.path.basename(os.fsencode(sys.argv[2])).decode("utf-8", "replace")
assert name in [vm["program"] for vm in json.load(open(sys.argv[1]))]  # there may be others' VMs
P

terminal log "$directory/own.log"
harmless "the summary of a log"
# What was said behind the screen of top comes when the screen has gone: of a VM without timers, or
# without a sample.
printf 'n = 0\nwhile n < 3000000\n  n = n + 1\nend\n' >"$directory/short.toy"
(
	ulimit -i 0
	terminal top -- "$program" "$directory/short.toy"
)
grep -q "vmtap: process [0-9]* (a\\\\033\\[31m" "$directory/out" || fail "top says nothing"
python3 - "$directory/out" <<'P' || fail "what top says is raw: $(cat -v "$directory/out")"
import sys
text = open(sys.argv[1], "rb").read()
assert not any(raw in text for raw in (b"a\x1b[31m", b"\xc2\x9b", b"\xe2\x80\xae", b"\xff")), text
P

# system()
run 0 trace -wqn 'vm*:::user-msg { system("echo %s", copyinstr(arg1)); }' --log "$directory/log"
has err "system\(\): 'x;touch .*' is text of the traced program: the shell would not take it as one word; %'s .*unsafesystem"
[ ! -e "$directory/gone" ] || fail "a command of the program's was run"
run 0 trace -wqn "vm*:::user-msg { system(\"echo %'s\", copyinstr(arg1)); }" --log "$directory/log"
has out "^x;touch $directory/gone$"
has out "^it's$"
[ ! -e "$directory/gone" ] || fail "a quoted command of the program's was run"
run 0 trace -wqn 'vm*:::method-entry { system("echo %s %d %s", execname, pid, probename); }' --log "$directory/log"
has out '^toy 1234 method-entry$'
run 0 trace -wqn 'vm*:::method-entry { system("echo %k", jstack()); }' --log "$directory/log"
has err 'system\(\): %k prints names of the traced program'
run 0 trace -x unsafesystem -wqn 'vm*:::user-msg { system("echo %s", copyinstr(arg1)); }' --log "$directory/log"
[ -e "$directory/gone" ] || fail "unsafesystem"
