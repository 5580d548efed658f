#!/bin/bash
# No verb writes an escape sequence to what is no terminal, nor to a terminal that only takes lines
# (TERM=dumb); neither does the demonstration of `make demo` to a pipe.
# tests: src/cli/cli.c src/cli/feed.c
set -u
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing" && exit 77; }
printf 'def work(n)\n  n + 1\nend\nk = 0\nwhile k < 100000\n  k = work(k)\nend\n' >"$directory/calls.toy"
run 0 record --lossless -o "$directory/log" -c "$TOY $directory/calls.toy"
command=("$TOY" "$directory/calls.toy")
verbs=("top --interval 50 -- ${command[*]}" "flame $directory/log -o $directory/graph"
	"flame --samples -o $directory/graph -- ${command[*]}" "record -o $directory/other -- ${command[*]}"
	"log $directory/log" "export $directory/log -o $directory/page.html" "heap $directory/log"
	"trace method_count -- ${command[*]}" "list $TOY" "ps" "dump $directory/log" "scripts" "nonsense" "--help")
escape=$'\e'
for verb in "${verbs[@]}"; do
	# shellcheck disable=SC2086
	timeout "${COMMAND_SECONDS:-300}" env TERM=xterm "$VMTAP" $verb >"$directory/out" 2>&1 </dev/null
	grep -q "$escape" "$directory/out" && fail "vmtap $verb writes an escape sequence to a file"
done
timeout "${COMMAND_SECONDS:-300}" python3 - "$VMTAP" "${verbs[@]}" <<'P' || fail "on a dumb terminal"
import os, pty, sys
vmtap, *verbs = sys.argv[1:]
for verb in verbs:
    child, terminal = pty.fork()
    if not child:
        os.environ["TERM"] = "dumb"
        os.execv(vmtap, [vmtap] + verb.split())
    shown = b""
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.waitpid(child, 0)
    os.close(terminal)
    assert b"\x1b" not in shown, (verb, shown)
P
BUILD="$BUILD" TERM=xterm timeout "${COMMAND_SECONDS:-300}" bash examples/demo.sh >"$directory/out" 2>&1 ||
	{ cat "$directory/out"; fail "the demonstration"; }
grep -q "$escape" "$directory/out" && fail "the demonstration writes an escape sequence to a file"
exit 0
