#!/bin/bash
# vmtap ps: which VMs serve an event stream, what it shows of each, and the sockets of dead VMs.
# tests: src/targets/find/vm_list.c src/targets/find/sweep.c
set -u
. tests/e2e/common

cat >"$directory/loop.toy" <<'TOY'
n = 0
while true
  n = n + 1
end
TOY
export XDG_RUNTIME_DIR=$directory/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
start() { # environment
	env "$@" "$TOY" "$directory/loop.toy" &
	pid=$!
	pids+=("$pid")
	await_stream "$pid"
}
row() { # pid, the columns after it
	has out "^ *$1 +$2$"
}
start A=b
default=$pid
start VMTAP_SOCKET="$directory/chosen"
chosen=$pid
start -u XDG_RUNTIME_DIR
shared=$pid
run 0 ps
[ "$(head -n 1 "$directory/out" | tr -s ' ')" = ' PID RUNTIME UP PROGRAM LISTENERS' ] || fail "head"
for pid in "$default" "$chosen" "$shared"; do
	row "$pid" 'toy [0-9.]+ +[0-9]+s toy +[0-9]+'
	[ "$(grep -cE "^ *$pid " "$directory/out")" = 1 ] || fail "$pid is there more than once"
done
is_silent || fail "messages"

# listeners are counted, and ps is none; traces of all VMs by others come and go
listeners() { # pid, count
	"$VMTAP" ps | grep -qE "^ *$1 .* $2$"
}
await "a VM is never without listeners" listeners "$default" 0
"$VMTAP" trace -p "$default" -n 'vm$target:::shutdown' >/dev/null 2>&1 &
pids+=("$!")
"$VMTAP" record -p "$default" -o "$directory/log" >/dev/null 2>&1 &
pids+=("$!")
await "no two listeners" listeners "$default" 2
await "listeners of one are those of another" listeners "$chosen" 0

# JSON
run 0 ps --json
python3 - "$directory/out" "$default" "$chosen" "$directory" <<'PYTHON' || fail "JSON"
import json, sys
rows = {row["pid"]: row for row in json.load(open(sys.argv[1]))}
default, chosen = rows[int(sys.argv[2])], rows[int(sys.argv[3])]
assert default["runtime"].startswith("toy ") and default["program"] == "toy", default
assert default["listeners"] >= 2 and chosen["listeners"] >= 0
assert default["up_seconds"] >= 0 and default["stopped"] is False
assert default["socket"] == f"{sys.argv[4]}/runtime/vmtap/{sys.argv[2]}", default
assert chosen["socket"] == sys.argv[4] + "/chosen", chosen
PYTHON

# a stopped VM is there, and does not hold up the others
is_stopped() {
	! grep -hE '^State:' "/proc/$chosen/task"/*/status | grep -qvE 'T \(stopped\)'
}
kill -STOP "$chosen"
await "the process does not stop" is_stopped
run 0 ps
row "$chosen" '- +[0-9]+s toy \(stopped\) +[0-9]+'
row "$default" 'toy .*'
kill -CONT "$chosen"

# The sockets of the dead are removed, those of the living and other files are not.
kill -9 "$default"
wait "$default" 2>/dev/null
[ -S "$XDG_RUNTIME_DIR/vmtap/$default" ] || fail "no socket is left to be removed"
start A=b
touch "$XDG_RUNTIME_DIR/vmtap/1" "$XDG_RUNTIME_DIR/vmtap/other"
python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$XDG_RUNTIME_DIR/vmtap/999999"
run 0 ps
[ "$(ls "$XDG_RUNTIME_DIR/vmtap" | sort | xargs)" = "$(printf '%s\n' 1 "$pid" other | sort | xargs)" ] ||
	fail "left: $(ls "$XDG_RUNTIME_DIR/vmtap")"
has_not out "^ *$default "
row "$pid" 'toy .*'

# A command that a trace or a recording has ended leaves no socket.
before=$(ls "$XDG_RUNTIME_DIR/vmtap" | sort | xargs)
run 0 trace -q -c "$TOY $directory/loop.toy" -n 'vm$target:::startup { exit(0); }'
VMTAP_SOCKET=$directory/left run 0 trace -q -c "$TOY $directory/loop.toy" -n 'vm$target:::startup { exit(0); }'
[ -e "$directory/left" ] && fail "a command's chosen socket is left"
VMTAP_SOCKET=$directory/left "$VMTAP" record -o "$directory/log" -c "$TOY $directory/loop.toy" 2>"$directory/err" &
recorder=$!
pids+=("$recorder")
await "nothing is recorded" test -S "$directory/left"
await "nothing is recorded" test -s "$directory/log"
while kill -INT "$recorder" 2>/dev/null; do # it is ignored until the recording has begun
	sleep 0.05
done
wait "$recorder" || fail "record: status $?"
[ -e "$directory/left" ] && fail "a recorded command's socket is left"
[ "$(ls "$XDG_RUNTIME_DIR/vmtap" | sort | xargs)" = "$before" ] || fail "a command's socket is left"

# one in another pid namespace, with a file system of its own, has the number that it has here
cat >"$directory/inside.sh" <<'INSIDE'
mount -t tmpfs none /tmp && mount -t proc none /proc && mount -t tmpfs none /dev/shm || exit 9
exec "$1" "$2"
INSIDE
if unshare -pfm true 2>/dev/null; then
	inside=$(mktemp -d /var/tmp/vmtap-test.XXXXXX)
	cp "$TOY" "$inside/inner"
	cp "$directory/loop.toy" "$directory/inside.sh" "$inside"
	env -u XDG_RUNTIME_DIR unshare -pfm --kill-child sh "$inside/inside.sh" "$inside/inner" \
		"$inside/loop.toy" >/dev/null 2>&1 &
	pids+=("$!")
	is_found() {
		"$VMTAP" ps | grep -qE "^ *[0-9]+ toy [0-9.]+ +[0-9]+s inner +[0-9]+$"
	}
	await "the VM in another namespace is not found" is_found
	kill -9 "${pids[-1]}"
	rm -rf "$inside"
else
	echo "left out: a VM in another pid namespace: unshare is not permitted"
fi

# a name with characters that end a line or steer the terminal
name=$'new\nline) \e[31m'
cp "$TOY" "$directory/$name"
"$directory/$name" "$directory/loop.toy" &
pids+=("$!")
await_stream "$!"
run 0 ps
row "$!" 'toy [0-9.]+ +[0-9]+s new[?]line[)] [?]\[31m +0'
run 0 trace -q -p "$!" -n 'vm$target:::, tick-1ms { printf("%s\n", execname); exit(0); }'
kill -9 "$!"

# wrong usage
run 2 ps -p 1
has err "^vmtap ps: '-p' is not an option$"
run 2 ps word
has err "^vmtap ps: 'word' is one operand too many$"
run 0 ps --help
has out '^Usage: vmtap ps'
