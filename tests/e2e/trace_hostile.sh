#!/bin/bash
# Trouble around a trace: closed and full outputs, odd targets, a tracer that is killed or stopped
# at any moment, a target that is killed at any moment, a target whose effective user is not its
# real one, a VM that starts a VM.
set -u
. tests/e2e/common
# Checks a command's status, and that its message is one line, not counting hints on the usage and
# against losses.
expect() {
	local wanted=$1 pattern=$2 status
	shift 2
	timeout "${COMMAND_SECONDS:-300}" "$@" >"$directory/out" 2>"$directory/err" </dev/null
	status=$?
	[ "$status" = "$wanted" ] || fail "$*: exit status $status, expected $wanted"
	[ -z "$pattern" ] || grep -qE -- "$pattern" "$directory/err" || fail "$*: no '$pattern' in standard error"
	[ "$(grep -cvE "^(Try |vmtap: (with --lossless|'(sudo )?vmtap (flame|list)) )" "$directory/err")" -le 1 ] || fail "$*: more than one line"
}
cp tests/toy/loop.toy "$directory/loop.toy"
entry='vm$target:::method-entry { @ = count(); }'

# outputs that are closed or full
one='BEGIN { printf("x\n"); exit(0); }'
expect 1 'failed to write to <stdout>: Bad file descriptor' bash -c "'$VMTAP' trace -q -n '$one' >&-"
expect 1 'failed to write to <stdout>: No space left' bash -c "'$VMTAP' trace -q -n '$one' >/dev/full"
expect 1 'failed to write to /dev/full: No space left' "$VMTAP" trace -q -n "$one" -o /dev/full
for command in scripts 'scripts stat' 'trace -l -n BEGIN' --help --version 'trace --help' "list $TOY"; do
	expect 3 'standard output: No space left' bash -c "'$VMTAP' $command >/dev/full"
done
expect 3 '/dev/full: No space left' "$VMTAP" trace -l -n BEGIN -o /dev/full
expect 3 'No such file or directory' "$VMTAP" trace -q -n "$one" -o "$directory/none/file"

# targets that cannot be traced
expect 3 'process 1 \(.*\) (serves no event stream|belongs to)' "$VMTAP" trace -n "$entry" -p 1
expect 3 'does not exist' "$VMTAP" trace -n "$entry" -p 2000000000
expect 3 'serves no event stream' bash -c "exec '$VMTAP' trace -n '$entry' -p \$\$"
expect 2 'is not a pid' "$VMTAP" trace -n "$entry" -p -1
expect 2 'is not a pid' "$VMTAP" trace -n "$entry" -p 99999999999999999999
expect 3 'No such file or directory' "$VMTAP" trace -n "$entry" -c "$directory/none"
expect 3 'Permission denied' "$VMTAP" trace -n "$entry" -c "$directory"
expect 3 'has ended without serving' "$VMTAP" trace -n "$entry" -c true
mkfifo "$directory/fifo"
for verb in list 'check --contract probes/vm.d' "diff $TOY"; do
	for file in . "$directory/fifo" /dev/zero "$directory/none" "$directory/loop.toy"; do
		expect 3 '^vmtap: ' "$VMTAP" $verb "$file"
	done
done

# a VM that starts VMs: only the first waits for the tracer
printf '#!/bin/sh\n"%s" "%s"/end.toy\nexec "%s" "%s"/end.toy\n' \
	"$TOY" "$directory" "$TOY" "$directory" >"$directory/both.sh"
echo 'print("done")' >"$directory/end.toy"
chmod +x "$directory/both.sh"
expect 0 '' "$VMTAP" trace -q -n 'vm$target:::shutdown { printf("shut down\n"); }' -c "$directory/both.sh"
[ "$(sort "$directory/out")" = $'\ndone\ndone\nshut down' ] || fail "a VM after a VM: output"

# a tracer that is killed, or stopped for a while, at any moment: the VM goes on, untraced
"$TOY" "$directory/loop.toy" >"$directory/toy" 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$VMTAP" trace -q -n "$entry" -p "$pid" >/dev/null 2>&1 &
	tracer=$!
	sleep "0.00$((round * 7))"
	[ $((round % 3)) = 0 ] && kill -STOP "$tracer" 2>/dev/null && sleep 0.05
	kill -KILL "$tracer" 2>/dev/null
	wait "$tracer" 2>/dev/null
done
kill -0 "$pid" || fail "the VM has died with its tracers"
expect 0 '' "$VMTAP" trace -q -n "$entry"' tick-50ms { exit(0); }' -p "$pid"

# a target that is killed at any moment: a line at most, never a hang
for round in 1 2 3 4 5 6 7 8 9 10; do
	"$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
	target=$!
	await_stream "$target"
	timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace -q -n "$entry" -p "$target" >"$directory/out" 2>"$directory/err" &
	tracer=$!
	sleep "0.00$((round * 5 % 31))"
	kill -KILL "$target"
	wait "$target" 2>/dev/null
	wait "$tracer"
	status=$?
	[ "$status" = 0 ] || [ "$status" = 1 ] || [ "$status" = 3 ] || fail "killed target: status $status"
	[ "$(grep -cvE 'drops on CPU|^vmtap: with --lossless ' "$directory/err")" -le 1 ] || fail "killed target: more than one line"
done

# an effective user who is not the real one
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 755 "$directory"
	cp "$TOY" "$directory/toy-suid"
	chown 65534 "$directory/toy-suid"
	chmod 4755 "$directory/toy-suid"
	(
		cd "$directory" || exit
		exec ./toy-suid loop.toy
	) >/dev/null 2>&1 &
	suid=$!
	pids+=("$suid")
	await_stream "$suid"
	effective=$(awk '$1 == "Uid:" { print $3 }' "/proc/$suid/status")
	if [ "$effective" = 65534 ]; then # else the set-uid bit has no effect here
		[ -S "/tmp/vmtap-65534/$suid" ] || fail "the socket of a set-uid program"
	fi
	expect 0 '' "$VMTAP" trace -q -n 'BEGIN { printf("%d\n", uid); }'" $entry"' tick-20ms { exit(0); }' -p "$suid"
	kill -KILL "$suid"
	rm -f "/tmp/vmtap-65534/$suid"
else
	echo "left out: a set-uid program: it needs root and setpriv"
fi

# a VM in namespaces of its own, with another pid and another user there
if unshare --map-user=4242 -pf true 2>/dev/null; then
	env -u XDG_RUNTIME_DIR unshare --map-user=4242 -pf --kill-child \
		"$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
	outer=$!
	pids+=("$outer")
	inner=
	until [ -n "$inner" ]; do
		inner=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null)
		kill -0 "$outer" || fail "unshare"
	done
	await_stream "${inner% }"
	expect 0 '' "$VMTAP" trace -q -n "$entry"' tick-20ms { exit(0); }' -p "${inner% }"
	kill -KILL "${inner% }"
	wait "$outer" 2>/dev/null
	rm -f /tmp/vmtap-4242/1
	rmdir /tmp/vmtap-4242 2>/dev/null
else
	echo "left out: namespaces: unshare is not permitted"
fi
exit 0
