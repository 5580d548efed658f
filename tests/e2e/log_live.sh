#!/bin/bash
# With the same events, a D script prints the same over a recorded log as over the live VM: every
# bundled script, to the byte, over the log that the VM writes itself and over a recording.
# Allowed differences: timestamp and walltimestamp in BEGIN, END and ticks are the log's times, so
# a tick may fall between other events (lines of ticks are therefore added up), and times since the
# start and shares of the traced time are left out; the kernel cuts execname; a log does not contain
# uid and gid. method_cpu needs a log with CPU clocks: trace_scripts.sh makes one. The stacks that top,
# top_exact and dump show are not in a log that the VM writes itself.
set -u
. tests/e2e/common

program=examples/toy/programs/pipeline.toy
# all but those for events that only GHC's runtime or the kernel has
scripts=$("$VMTAP" scripts | awk '/^[^ ]/ { kernel = /kernel|machine/ } /^  / && !kernel && $1 !~ /^(ghc_.*|method_cpu|top|top_exact|dump)$/ { print $1 }')
# Several of them trace one VM at the same time.
together="method_count method_time gc_pause alloc_by_class alloc_by_site sched_latency lock_wait stat
	blocked_by_waker lock_holders call_sites"

listens='BEGIN { printf("listens\n"); }'

# What of a script's output does not depend on when the trace begins and on where ticks fall.
comparable() { # script, file
	case $1 in
	stat)
		awk '$1 ~ /^[0-9]+$/ { for (i = 1; i < NF; i++) sum[i] += $i }
			END { for (i = 1; i < 8; i++) printf "%d ", sum[i] }' "$2"
		;;
	gc_overhead)
		awk '$1 ~ /^[0-9]+$/ { collections += $2; full += $3; pauses += $4; time += $6 }
			END { print collections, full, pauses, time }' "$2"
		;;
	alloc_rate)
		awk '$2 ~ /^[0-9]+$/ && NF == 3 { bytes[$1] += $2; objects[$1] += $3 }
			END { for (class in bytes) print class, bytes[class], objects[class] }' "$2" | sort
		;;
	snoop | gc_bytes | exception_storms) sed -E 's/^ *[0-9]+ //' "$2" ;;
	cap_use | gc_phases | gc_pause) sed -E 's/[0-9]+%$//' "$2" ;;
	*) cat "$2" ;;
	esac
}

# The output of a script, in $directory/live, equals that of the same script over a log.
same() { # script, log
	rm -f "$directory/again"
	run 0 trace -q -o "$directory/again" --log "$2" -s "$BUILD/scripts/$1.d" -n "$listens"
	is_silent || fail "$1: over $2"
	for file in live again; do
		comparable "$1" "$directory/$file" >"$directory/$file.comparable"
		mv "$directory/$file.comparable" "$directory/$file"
	done
	grep -qv -e listens -e '^$' "$directory/live" || fail "$1 prints nothing"
	cmp "$directory/live" "$directory/again" || {
		diff "$directory/live" "$directory/again" | head -20
		fail "$1: another output over $2"
	}
}

# The VM logs and is traced in one run.
for script in $scripts; do
	rm -f "$directory/log" "$directory/live"
	VMTAP_LOG=$directory/log run 0 trace --lossless -q -o "$directory/live" \
		-s "$BUILD/scripts/$script.d" -n "$listens" -c "$TOY --caps=2 $program"
	has_not err 'drops|lost'
	same "$script" "$directory/log"
done

# Several of them trace one VM, which is recorded at the same time and waits until all listen.
mkfifo "$directory/gate"
cat >"$directory/gate.toy" <<'TOY'
File.read(VM.arguments()[0])
load(VM.arguments()[1])
TOY
"$TOY" --caps=2 "$directory/gate.toy" "$directory/gate" "$program" >/dev/null 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
"$VMTAP" record --lossless -p "$pid" -o "$directory/recording" 2>"$directory/recording.err" &
clients=($!)
for script in $together; do
	"$VMTAP" trace --lossless -q -x switchrate=10ms -o "$directory/$script.live" -p "$pid" \
		-s "$BUILD/scripts/$script.d" -n "$listens" 2>"$directory/$script.err" &
	clients+=($!)
done
pids+=("${clients[@]}")
is_recorded() { "$VMTAP" log "$directory/recording" | grep -q SUBSCRIBED; }
await "the recording does not begin" is_recorded
for script in $together; do
	await "$script does not begin" grep -q listens "$directory/$script.live"
done
: >"$directory/gate"
for client in "${clients[@]}"; do
	wait "$client" || fail "a client: status $?"
done
[ ! -s "$directory/recording.err" ] || fail "$(cat "$directory/recording.err")"
for script in $together; do
	grep -E 'drops|lost' "$directory/$script.err" && fail "$script"
	mv "$directory/$script.live" "$directory/live"
	same "$script" "$directory/recording"
done
exit 0
