#!/bin/bash
# VMTAP_DEBUG: each part that it names tells what it does, on standard error, and no other part does.
# tests: src/base/debug.c
set -u
. tests/e2e/common

VMTAP_DEBUG=help run 0 trace
for part in compile target stream log merge engine record server; do
	has out "^$part +[a-z]"
done
VMTAP_DEBUG=stream,nonsense run 2 list "$TOY"
has err "no part is called 'nonsense'"

script='vm$target:::gc-end { @[arg0] = count(); }'
VMTAP_DEBUG=stream,server,compile,target,engine run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n "$script"
for what in 'stream: .*connected' 'stream:   vm:::gc-end, .* strings 0x1$' 'stream: .*stream has ended' \
	'server [0-9]+: started' 'server [0-9]+: client [0-9]+ connected, 1 in all' \
	'server [0-9]+: client [0-9]+ left, 0 remain' 'server [0-9]+: ended' \
	'compile: the scripts need a source and \$target' 'compile: 1 clauses' \
	"target: command '.*' is process [0-9]+" 'engine: begins' 'engine: ends'; do
	has err "^vmtap: $what"
done
VMTAP_DEBUG=record run 0 record -o "$directory/log" -c "$TOY examples/toy/programs/queens.toy"
has err 'vmtap: record: .*log: opened$'
VMTAP_DEBUG=log run 0 trace -q --log "$directory/log" -n 'vm*:::gc-end { @ = count(); }'
has err 'vmtap: log: .*log: process [0-9]+ \(toy\), [0-9]+ probes$'
has err 'vmtap: log: .*log: read to its end marker$'

# Neither what the program calls itself nor a closed standard error does any harm.
cat >"$directory/evil.c" <<'C'
#include <stdio.h>
#include <sys/prctl.h>
#include <vmtap.h>
int main(void)
{
	prctl(PR_SET_NAME, "a\33[31mb");
	if (vmtap_start(NULL))
		return 1;
	getchar();
	vmtap_stop();
	return 0;
}
C
flags="-O1 -Iinclude -I$BUILD/include"
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=" -fsanitize=address,undefined"
$CC $flags -o "$directory/evil" "$directory/evil.c" "$BUILD/libvmtap.a" -pthread || fail "not built"
coproc EVIL { exec "$directory/evil"; }
evil=$EVIL_PID
pids+=("$evil")
await_stream "$evil"
VMTAP_DEBUG=stream run 0 trace -q -Z -p "$evil" -n 'BEGIN { exit(0); }' -n 'vm$target:::gc-idle'
has err "^vmtap: stream: process $evil \(a\\\\x1b\[31mb\): connected\$"
echo >&"${EVIL[1]}"
wait "$evil" || fail "status $?"
for variables in VMTAP_DEBUG=server "VMTAP_DEBUG=server VMTAP_LOG=$directory/own"; do
	echo | python3 -c 'import os, subprocess, sys
ends = os.pipe()
os.close(ends[0])
sys.exit(subprocess.call(sys.argv[1:], stderr=ends[1], restore_signals=True))' \
		env $variables "$directory/evil" || fail "$variables with a closed standard error: status $?"
done

# nothing without it, and nothing of other parts
run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n "$script"
grep -E '^vmtap: (stream|server|compile|target|engine)' "$directory/err" && fail "said something unasked"
VMTAP_DEBUG=merge run 0 trace -q -c "$TOY examples/toy/programs/queens.toy" -n "$script"
grep -E '^vmtap: (stream|server|compile|target|engine)' "$directory/err" && fail "another part said something"
exit 0
