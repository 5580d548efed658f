#!/bin/bash
# Extensions that a VM loads while it is traced. If an extension is the first object to opt in to
# a provider, that provider's probes fire for a script that asks for them as long as the extension
# is loaded, live and in a recording. An extension that was built from another version of the
# contract is reported.
set -u
. tests/e2e/common

flags="-std=gnu11 -O2 -g -Iinclude -Isrc -I$BUILD/include -D_GNU_SOURCE"
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=" -fsanitize=address,undefined"
$CC $flags -rdynamic -o "$directory/late" tests/shim/late.c "$BUILD/libvmtap.a" -pthread -ldl &&
	$CC $flags -DVMTAP_PROVIDER_HASKELLEVENT -fPIC -shared -o "$directory/extension.so" \
		tests/shim/extension.c "$BUILD/libvmtap_probes.a" &&
	$CC $flags -fPIC -shared -o "$directory/stranger.so" tests/shim/stranger.c ||
	fail "the VM is not built"

start_late "$directory/late"
lists() { # which probes of HaskellEvent exist
	"$VMTAP" trace -l -p "$vm" | awk '$2 ~ /^HaskellEvent/ { print $NF }' | sort | xargs
}

# While the probe does not exist, it is not listed, has no number, and needs -Z.
[ "$(lists)" = "" ] || fail "listed before it exists"
run 1 trace -p "$vm" -n 'HaskellEvent$target:::gc-idle'
has err 'does not match any probes \(the process is built without provider HaskellEvent\)'
total=$("$VMTAP" trace -l -p "$vm" | tail -n 1 | awk '{ print $1 }')
run 1 trace -p "$vm" -i "$((total + 1))"
has err "probe identifier $((total + 1)) not defined"
run 0 trace -l -p "$vm" -n '*$target:::gc-idle'
[ "$(grep -c gc-idle "$directory/out")" = 1 ] || fail "-l of a glob"

# By a glob, and by name with -Z: from its first event to its last. Each event is printed, which
# shows that it has arrived, so that none is in transit when extensions are loaded and unloaded.
"$VMTAP" record -p "$vm" -o "$directory/log" -n 'vm$target:::gc-idle' >/dev/null 2>"$directory/record" &
recorder=$!
pids+=("$recorder")
script='*$target:::gc-idle { printf("%s %d\n", probeprov == strjoin("vm", lltostr($target)) ? "vm" : "other", args[0]); }
HaskellEvent$target:::gc-idle { named++; printf("named %d\n", args[0]); }
HaskellEvent$target:::gc-idle /arg0 == 7/ { exit(named); }'
printf '%s\n' "$script" >"$directory/script.d"
"$VMTAP" trace -q -x switchrate=0 -Z -p "$vm" -s "$directory/script.d" >"$directory/live" 2>"$directory/live.err" &
tracer=$!
pids+=("$tracer")
seen() { # how often, what
	[ "$(grep -c "$2" "$directory/live")" = "$1" ]
}
is_followed() {
	tell 'fire 0 1'
	grep -q '^vm 0$' "$directory/live"
}
await "not traced" is_followed
is_recorded() {
	tell 'fire 0 1'
	"$VMTAP" log --dump "$directory/log" | grep -q ' gc-idle'
}
await "not recorded" is_recorded
tell 'fire 1 10'
await "events before" seen 10 '^vm 1$'
seen 0 '^other 1$' || fail "fired before it exists"
tell "load $directory/extension.so"
tell 'fire 2 20'
await "events with the extension" seen 20 '^vm 2$'
await "its provider" seen 20 '^named 2$'
seen 20 '^other 2$' || fail "not by a glob"
[ "$(lists)" = "$(sed -n 's/^[[:space:]]*probe \([a-z_]*\)(.*/\1/p' probes/compat/haskell_event.d |
	sed 's/__/-/g' | sort | xargs)" ] || fail "not listed when it is there: $(lists)"
run 0 trace -q -p "$vm" -n 'HaskellEvent$target:::gc-idle { exit(9); } tick-10 { exit(0); }'
tell unload
tell 'fire 3 5'
await "events without it" seen 5 '^vm 3$'
seen 0 '^other 3$' || fail "fired after it was unloaded"
[ "$(lists)" = "" ] || fail "listed after it was unloaded"
tell "load $directory/extension.so"
tell 'fire 7 1'
wait "$tracer"
status=$?
[ "$status" = 21 ] || fail "fired $status times, not 21"
[ -s "$directory/live.err" ] && fail "said something: $(cat "$directory/live.err")"

# the recording gives the same output
kill -INT "$recorder"
wait "$recorder" || fail "record: status $?"
run 21 trace -q -Z --log "$directory/log" -s "$directory/script.d"
for what in 'vm [1-7]' 'other' 'named'; do
	diff <(grep "^$what" "$directory/live") <(grep "^$what" "$directory/out") ||
		fail "--log: $what"
done
run 0 log --validate "$directory/log"
run 0 log --dump "$directory/log"
has out 'PROVIDERS.*names=.?HaskellEvent'

# An extension of another version is kept out of the stream and reported in one line.
: >"$directory/out" >"$directory/err"
"$VMTAP" trace -q -p "$vm" -n 'vm$target:::gc-idle { printf("%d\n", arg0); } vm$target:::gc-idle /arg0 == 9/ { exit(0); }' \
	>"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
is_listening() {
	tell 'fire 8 1'
	grep -q '^8$' "$directory/out"
}
await "not traced" is_listening
tell "load $directory/stranger.so"
await "a stranger is not told of" grep -qE "^vmtap: process $vm \(late\): 1 object was built with another version of the probes: its events are missing$" "$directory/err"
tell 'fire 9 1'
wait "$tracer" || fail "with a stranger: status $?"
[ "$(wc -l <"$directory/err")" = 1 ] || fail "a stranger is reported more than once"
# a client that connects later is told, too
: >"$directory/out" >"$directory/err"
"$VMTAP" trace -q -p "$vm" -n 'vm$target:::gc-idle { printf("%d\n", arg0); } vm$target:::gc-idle /arg0 == 9/ { exit(0); }' \
	>"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
await "not traced later" is_listening
await "a stranger is not told of later" grep -q '1 object was built' "$directory/err"
tell 'fire 9 1'
wait "$tracer" || fail "with a stranger, later: status $?"
[ -s "$directory/vm.err" ] && fail "$(cat "$directory/vm.err")"
exit 0
