#!/bin/bash
# The result of each bundled script equals the VM's own counters: over the stream of each program,
# and for those that have many results, over one stream and over logs of several programs. Those
# for logs of GHC are in trace_ghc.sh.
set -eu
listed=$("$VMTAP" scripts | awk '/^  / && $1 !~ /^ghc_/ { print $1 }')
everywhere=" method_count method_time gc_pause alloc_by_class alloc_by_site lock_wait sched_latency stat "
programs=(examples/toy/programs/*.toy)
[ "${VMTAP_SANITIZED:-0}" = 1 ] && programs=(examples/toy/programs/{redefine,pipeline}.toy)

compare() { # script, what was traced
	result=$(python3 tests/e2e/witness.py bundled "$1" "$TMPDIR/errors" "$TMPDIR/by" "$TMPDIR/out") ||
		{ echo "$2: $result"; cat "$TMPDIR/out"; exit 1; }
	echo "$2: $result"
}

trace() { # script, program, further arguments
	local script=$1 program=$2
	shift 2
	rm -f "$TMPDIR"/*
	"$VMTAP" trace --lossless -o "$TMPDIR/out" "$script" -c \
		"$TOY --caps=2 --stats=json --stats-by=$TMPDIR/by --event-log=$TMPDIR/by.log $program" "$@" \
		>/dev/null 2>"$TMPDIR/errors" ||
		{ echo "$program, $script: status $?"; cat "$TMPDIR/errors"; exit 1; }
	! grep -E '^dtrace: (error|.*drop)' "$TMPDIR/errors" || { echo "$program, $script"; exit 1; }
	compare "$script" "$program"
}

# What a script needs besides its name.
arguments() { # script
	case $1 in exception_storms) echo 1 ;; esac
}

for program in "${programs[@]}"; do
	for script in $everywhere; do
		trace "$script" "$program"
	done
done

for script in $listed; do
	case $everywhere in *" $script "*) continue ;; esac
	case $script in
	sched_* | blocked_* | lock_*) program=pipeline ;;
	spark_* | cap_*) program=parmap ;;
	*) program=redefine ;;
	esac
	# shellcheck disable=SC2046
	trace "$script" "examples/toy/programs/$program.toy" $(arguments "$script")
done

for program in redefine pipeline parmap queens; do
	rm -f "$TMPDIR"/*
	# The VM waits for the recorder, and writes its counters after the recording has ended.
	VMTAP_WAIT=1 "$TOY" --caps=2 --stats=json --stats-by="$TMPDIR/by" --event-log="$TMPDIR/by.log" \
		"examples/toy/programs/$program.toy" >/dev/null 2>"$TMPDIR/errors" &
	pid=$!
	trap 'kill -9 $pid 2>/dev/null' EXIT
	tries=0
	until "$VMTAP" trace --via=stream -l -p $pid >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 3000 ] || { echo "$program serves no stream"; exit 1; }
		sleep 0.01
	done
	"$VMTAP" record --lossless --cpu-clock -o "$TMPDIR/log" -p $pid 2>"$TMPDIR/record.errors" ||
		{ cat "$TMPDIR/record.errors"; exit 1; }
	trap - EXIT
	wait $pid || { cat "$TMPDIR/errors"; exit 1; }
	for script in $listed; do
		rm -f "$TMPDIR/out"
		# shellcheck disable=SC2046
		"$VMTAP" trace -o "$TMPDIR/out" "$script" --log "$TMPDIR/log" $(arguments "$script") \
			2>"$TMPDIR/log.errors" || { echo "$program, $script: status $?"; cat "$TMPDIR/log.errors"; exit 1; }
		[ ! -s "$TMPDIR/log.errors" ] || { echo "$program, $script"; cat "$TMPDIR/log.errors"; exit 1; }
		compare "$script" "log of $program"
	done
done
