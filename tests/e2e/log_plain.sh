#!/bin/bash
# The stream that a plain reader saves is a log like GHC's: its events are the probes of
# HaskellEvent, as many as the VM counts, whether or not the VM has opted in to that provider,
# and --validate finds no error. Probes that are not in it match nothing.
set -u
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }

# It waits for its first listener, so nothing is missed.
VMTAP_WAIT=1 VMTAP_SOCKET=$directory/socket "$TOY" --caps=2 --event-log="$directory/log" \
	examples/toy/programs/parmap.toy >/dev/null 2>"$directory/err" &
pid=$!
pids+=("$pid")
await "no socket" test -S "$directory/socket"
python3 - "$directory" <<'P' || fail "the plain reader"
import socket, sys
vm = socket.socket(socket.AF_UNIX)
while vm.connect_ex(sys.argv[1] + "/socket"):
    pass  # the socket exists a little before the VM listens
with open(sys.argv[1] + "/plain", "wb") as kept:
    while piece := vm.recv(65536):
        kept.write(piece)
P
wait "$pid" || fail "the VM"
pids=()

run 0 log --validate "$directory/plain"
# shellcheck disable=SC2016
run 0 trace -q --log "$directory/plain" -n '
	HaskellEvent$target::: { @[probename] = count(); }
	vm$target:::thread-run { @[probename] = count(); }
	END { printa("%s %@d\n", @); }'
is_silent || fail "trace"
grep . "$directory/out" | sort >"$directory/traced"
awk '
	BEGIN {
		names["thread-create"] = "create-thread"
		names["thread-run"] = "run-thread"
		names["thread-stop"] = "stop-thread"
		names["thread-migrate"] = "migrate-thread"
		names["thread-wakeup"] = "thread_wakeup"
		names["spark-run"] = "run-spark"
		names["spark-steal"] = "steal-spark"
		names["spark-thread-create"] = "create-spark-thread"
		split("thread-runnable gc-start gc-end gc-idle gc-work gc-done startup shutdown" \
			" user-msg", same, " ")
		for (i in same)
			names[same[i]] = same[i]
	}
	$1 in names { count[names[$1]]++ }
	$1 == "thread-run" { count[$1]++ }
	$1 == "gc-request" { count[$3 == 1 ? "request-par-gc" : "request-seq-gc"]++ }
	END { for (name in count) print name, count[name] }' "$directory/log" |
	sort >"$directory/counted"
grep -q '^run-spark ' "$directory/counted" || fail "no sparks"
cmp "$directory/traced" "$directory/counted" ||
	fail "$(diff "$directory/traced" "$directory/counted")"

# shellcheck disable=SC2016
run 1 trace --log "$directory/plain" -n 'vm$target:::spark-run { exit(0); }'
has err 'vm[0-9]+:::spark-run does not match any probes'
