#!/bin/bash
# vmtap log: its summary of a log agrees with the VM and with a trace; it finds errors in a log.
# tests: src/cli/log/log.c src/cli/log/log_check.c src/cli/log/thread_bytes.c
set -u
. tests/e2e/common
log=$directory/log

run 0 record --lossless -o "$log" -c "$TOY --caps=2 examples/toy/programs/pipeline.toy"
run 0 log "$log"
has out '^  program       .*toy --caps=2 examples/toy/programs/pipeline.toy$'
has out '^  runtime       toy '
has out '^  began         20[0-9-]+T[0-9:.]+Z$'
has out '^  capabilities  2$'
has out '^  lost          0$'
has out '^  end           in order$'

# a script counts as many events of each probe; the dump has a line for each event
# shellcheck disable=SC2016
run 0 trace -q --log "$log" -n 'vm*::: { @[probename] = count(); } END { printa("%s %@d\n", @); }'
grep . "$directory/out" | sort >"$directory/traced"
run 0 log "$log"
sed -n 's/^ *[0-9]* *\([0-9]*\)  vm:::\([a-z-]*\).*/\2 \1/p' "$directory/out" | sort >"$directory/summed"
cmp "$directory/traced" "$directory/summed" || fail "summary"
run 0 log --dump "$log"
awk '$3 ~ /^[a-z]/ { n[$3]++ } END { for (name in n) print name, n[name] }' "$directory/out" |
	sort >"$directory/dumped"
cmp "$directory/traced" "$directory/dumped" || fail "dump"
run 0 log --json "$log"
python3 - "$directory/out" "$directory/traced" <<'PYTHON' || fail "json"
import json, sys
log = json.load(open(sys.argv[1]))
traced = dict(line.split() for line in open(sys.argv[2]))
assert {t["name"]: str(t["events"]) for t in log["types"] if t["probe"]} == traced
also = {t["name"]: t["also"] for t in log["types"]}
assert also["method-entry"] == ["ruby:::method-entry"] and also["thread-create"] == [
    "ccl:::create-thread", "HaskellEvent:::create-thread"] and also["cap-create"] == [], also
assert log["in_order"] and log["lost"] == 0 and log["capabilities"] == 2
PYTHON
run 0 log --validate "$log"
[ "$(cat "$directory/out")" = "$log: valid" ] || fail "not valid"

# the capabilities are those that the log names, even if one has no events
# shellcheck disable=SC2016
run 0 record -n 'vm$target:::method-entry' -o "$directory/methods" \
	-c "$TOY --caps=2 examples/toy/programs/pipeline.toy"
run 0 log "$directory/methods"
has out '^  capabilities  2$'

# errors
cp "$log" "$directory/cut"
truncate -s -50 "$directory/cut"
run 0 log "$directory/cut"
has out '^  end           byte [0-9]+: the log ends '
run 0 log --dump "$directory/cut"
has err "^vmtap: $directory/cut: byte [0-9]+: the log ends "
run 1 log --validate "$directory/cut"
has out 'byte [0-9]+: the log ends .* it is truncated$'
events() { # makes a log from $directory/events
	"$BUILD/tests/tools/make_log" probes/vm.d "$directory/events" "$directory/made" ||
		fail "make_log"
}
cat >"$directory/events" <<'EVENTS'
block 0
1000 thread-create 1 0
2000 thread-run 1
3000 thread-run 1
4000 thread-stop 1 5 0
5000 thread-wakeup 1 0
6000 thread-stop 2 3 0
7000 thread-stop 2 3 0
watermark 10000
9000 thread-run 3
end
EVENTS
events
run 1 log --validate "$directory/made"
has out ': time 3000: thread 1 is run while it is running$'
has out ': time 5000: thread 1 is woken while it is finished$'
has out ': time 7000: thread 2 is stopped while it is stopped$'
has out ': byte [0-9]+: an event of time 9000 after the watermark of time 10000$'
[ "$(wc -l <"$directory/out")" = 4 ] || fail "findings"
cat >"$directory/events" <<'EVENTS'
block 0
5000000 thread-runnable 1
1000 thread-runnable 1
end
EVENTS
events
run 1 log --validate "$directory/made"
has out ': byte [0-9]+: time goes back from 5000000 to 1000 in a run of events$'
[ "$(wc -l <"$directory/out")" = 1 ] || fail "findings"
cat >"$directory/events" <<'EVENTS'
block 0
1000 thread-runnable 1
raw 03 e6
EVENTS
events
run 3 log --dump "$directory/made"
has out '^1000 0 thread-runnable thread=1$'
has err 'made: byte [0-9]+: event type 998 was not declared$'
run 1 log --validate "$directory/made"
has out 'event type 998 was not declared$'

# a script over a damaged log: processes everything before the damage, says where and why, and
# ends with another status than over a log that is only cut off
run 3 trace -q --log "$directory/made" -n 'vm*:::thread-runnable { trace(arg1); }'
has out '^1'
has err '^vmtap: .*/made: byte [0-9]+: event type 998 was not declared$'
[ "$(wc -l <"$directory/err")" = 1 ] || fail "more than one line"
run 5 trace -q --log "$directory/made" -n 'vm*:::thread-runnable { exit(5); }'
run 0 trace -q --log "$directory/cut" -n 'vm*:::startup { trace(arg0); }'
has out '^2'
has err '^vmtap: .*/cut: byte [0-9]+: the log ends '
[ "$(wc -l <"$directory/err")" = 1 ] || fail "more than one line"

# only GHC's events: a log like those that GHC writes, for D too
run 0 record --lossless --ghc-only -o "$log" -c "$TOY --caps=2 examples/toy/programs/parmap.toy"
run 0 log "$log"
has_not out 'vm:::|^ *4[0-9][0-9] '
spawned=$(sed -n 's/^ *0 *\([0-9]*\)  CREATE_THREAD$/\1/p' "$directory/out")
run 0 log --validate "$log"
run 0 trace -q --log "$log" -n 'HaskellEvent$target:::create-thread { @n = count(); } END { printa("%@d\n", @n); }'
grep -qx "$spawned" "$directory/out" || fail "$spawned threads"
run 1 trace -q --log "$log" -n 'vm$target:::method-entry'
for need in tid cpu uid self-\>x; do
	run 1 trace -q --log "$log" -n "HaskellEvent*:::run-thread { self->x = 1; trace($need); }"
	has err "which this recorded log does not give"
done

# a program whose arguments are not UTF-8, and losses as readers of GHC's events see them
python3 - "$log" <<'PYTHON'
import struct, sys
types = {16: ("Log message", 0xffff), 30: ("Program arguments", 0xffff)}
out = b"hdrbhetb"
for number, (text, size) in types.items():
    out += b"etb\0" + struct.pack(">HHI", number, size, len(text)) + text.encode() + bytes(4) + b"ete\0"
out += b"hetehdredatb"
for number, payload in (30, bytes(4) + b"caf\xe9\0\x1b[1m\"\0"), (16, b"vmtap: 12 events lost of vm:::heap since 0 ns"):
    out += struct.pack(">HQH", number, 5, len(payload)) + payload
open(sys.argv[1], "wb").write(out + b"\xff\xff")
PYTHON
run 0 log "$log"
has out '^  lost          12$'
run 0 log --dump "$log"
has err ': 12 events were lost; .vmtap record --lossless. loses none$'
run 0 log --json "$log"
python3 - "$directory/out" <<'PYTHON' || fail "json of a program that is no UTF-8"
import json, sys
log = json.load(open(sys.argv[1]))
assert log["program"] == 'caf\ufffd  [1m"' and log["lost"] == 12, log
PYTHON

# through a pipe: everything except --validate, which reads twice; a log cut within its header
run 0 record --lossless -o "$log" -n 'vm*:::startup' -c "$TOY examples/toy/programs/queens.toy"
for action in "log --dump" "log" "trace -q -n vm*:::startup{trace(arg0);} --log"; do
	# shellcheck disable=SC2086
	"$VMTAP" $action /dev/stdin < <(cat "$log") | grep -vx /dev/stdin >"$directory/piped"
	# shellcheck disable=SC2086
	run 0 $action "$log"
	[ -s "$directory/piped" ] || fail "$action of a pipe"
	grep -vxF "$log" "$directory/out" | cmp - "$directory/piped" || fail "$action of a pipe"
done
"$VMTAP" log --json - <"$log" | sed 's|/dev/stdin||' >"$directory/piped"
"$VMTAP" log --json "$log" | sed "s|$log||" | cmp -s - "$directory/piped" || fail "log -"
[ "$("$VMTAP" trace -q --log - -n 'vm*:::startup { @ = count(); }' <"$log" | xargs)" = 1 ] || fail "trace --log -"
"$VMTAP" log --validate /dev/stdin < <(cat "$log") 2>"$directory/err" && fail "a pipe was read twice"
has err '^vmtap: /dev/stdin: a pipe cannot be checked: the log is read twice$'
# joined logs, and a log with a byte after it: only the first is read, and a line says so
whole=$(stat -c %s "$log") rest="bytes follow the log's end marker, and are not read"
run 0 trace -q --log "$log" -n 'vm*:::startup { trace("first"); }'
cp "$directory/out" "$directory/first"
printf x >"$directory/byte"
for tail in "$log" "$directory/byte"; do
	cat "$log" "$tail" >"$directory/joined"
	run 0 trace -q --log "$directory/joined" -n 'vm*:::startup { trace("first"); }'
	cmp "$directory/first" "$directory/out" || fail "a joined log gives something else"
	[ "$(grep -c . "$directory/err")" = 1 ] || fail "not one line"
	has err "^vmtap: $directory/joined: byte $whole: $rest"
	run 1 log --validate "$directory/joined"
	has out "^$directory/joined: byte $whole: $rest"
	run 0 log "$directory/joined"
	has out "^  end  *byte $whole: $rest"
	run 0 log --dump "$directory/joined"
	has err "^vmtap: $directory/joined: byte $whole: $rest"
	run 0 log --json "$directory/joined"
	has out '"in_order": *false'
	"$VMTAP" trace -q --log - -n 'vm*:::startup { trace("first"); }' < <(cat "$directory/joined") \
		>"$directory/out" 2>"$directory/err" || fail "a pipe with a joined log"
	has err "byte $whole: $rest"
done
# a pipe that its writer keeps open: no line, and the reader does not wait for more
mkfifo "$directory/pipe"
(cat "$log"; exec sleep 1000) >"$directory/pipe" &
pids+=("$!")
run 0 trace -q --log "$directory/pipe" -n 'vm*:::startup { trace("first"); }'
cmp "$directory/first" "$directory/out" || fail "a pipe gives something else"
is_silent || fail "a pipe that stays open says something"

head -c 1000 "$log" >"$directory/cut"
for action in "log" "trace -q -n BEGIN --log"; do
	# shellcheck disable=SC2086
	run 3 $action "$directory/cut"
	has err ': the log ends within the declaration of an event type that begins at byte [0-9]+: it is truncated$'
done

# files that are not logs
run 3 log /nonexistent
has err '^vmtap: /nonexistent: No such file'
run 3 log "$directory"
has err 'Is a directory$'
run 3 log README.md
has err "^vmtap: README.md: byte 0: the header's begin expected, found"
: >"$directory/empty"
run 3 log "$directory/empty"
has err 'empty: the log is empty'
for wrong in "" "a b" "--nosuch a" "--json --dump a"; do
	# shellcheck disable=SC2086
	run 2 log $wrong
	has err "Try 'vmtap log --help'"
done
exit 0
