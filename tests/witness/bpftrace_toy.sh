#!/bin/bash
# bpftrace, attached to all probes of the toy VM by its path, sees through the kernel what
# the VM itself counts and logs: the same number of events of each probe, the same strings in
# string arguments, the same sums of the others. For all programs of the toy; for those with
# millions of events, only the counts.
set -u
. tests/witness/bpftrace
need_bpftrace

# A run with at most this many events is logged event by event.
log_limit=1000000

# Attaches the kind of program ("script" or "script-counts") to $TMPDIR/toy, runs the toy
# programs, and compares.
session() { # kind, toy programs
	local kind=$1 program tracer log=-
	local seen=$TMPDIR/seen stats=$TMPDIR/stats
	shift
	# Each session has its own file; another one only shows when everything is attached.
	cp "$TOY" "$TMPDIR/toy.$kind"
	cp "$TOY" "$TMPDIR/ready.$kind"
	python3 $compare "$kind" "$TMPDIR/toy.$kind" "$TMPDIR/ready.$kind" >"$TMPDIR/$kind.bt"
	: >"$seen"
	: >"$stats"
	: >"$TMPDIR/log"
	bpftrace -B none -f json -o "$seen" "$TMPDIR/$kind.bt" >"$TMPDIR/tracer" 2>&1 &
	tracer=$!
	children+=("$tracer")
	if ! wait_ready "$TMPDIR/ready.$kind" "$seen" "$tracer"; then
		echo "bpftrace does not attach to $TOY:"
		tail -n 5 "$TMPDIR/tracer"
		return 1
	fi
	for program in "$@"; do
		if [ "$kind" = script ]; then
			log=$TMPDIR/log
			timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/toy.$kind" --caps=2 --stats=json --event-log="$TMPDIR/one" \
				"$program" >/dev/null 2>>"$stats" </dev/null
			cat "$TMPDIR/one" >>"$log"
		else
			timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/toy.$kind" --caps=2 --stats=json "$program" \
				>/dev/null 2>>"$stats" </dev/null
		fi
	done
	end_tracers "$tracer"
	children=()
	python3 $compare compare "$seen" "$stats" "$log" >"$TMPDIR/fired.$kind" && return 0
	echo "$kind: over $# programs the VM and bpftrace disagree:"
	cat "$TMPDIR/fired.$kind"
	return 1
}

# Runs the binary until its first and last probes have been seen.
wait_ready() { # binary, file, tracer
	local tries
	echo 'print("ready")' >"$TMPDIR/ready.toy"
	for ((tries = 0; tries < 600; tries++)); do
		kill -0 "$3" 2>/dev/null || return 1
		"$1" "$TMPDIR/ready.toy" >/dev/null 2>&1
		grep -q first "$2" && grep -q last "$2" && return 0
		sleep 0.05
	done
	return 1
}

small=() large=()
for program in tests/toy/probes/*.toy examples/toy/programs/*.toy; do
	[ -e "$program" ] || continue
	guards=$(timeout "${COMMAND_SECONDS:-300}" "$TOY" --caps=2 --stats=json "$program" 2>&1 >/dev/null </dev/null |
		sed -n 's/.*"guards": *\([0-9]*\).*/\1/p')
	if [ "${guards:-0}" -le $log_limit ]; then
		small+=("$program")
	else
		large+=("$program")
	fi
done
if [ ${#small[@]} = 0 ]; then
	echo "no programs of the toy found"
	exit 1
fi

failed=0
session script "${small[@]}" || failed=1
if [ ${#large[@]} -gt 0 ]; then
	session script-counts "${large[@]}" || failed=1
fi
[ $failed = 0 ] || exit 1
echo "strings, sums and counts agree over ${#small[@]} programs, counts over ${#large[@]} more"
echo "probes that fired: $(cat "$TMPDIR"/fired.* | tr ' ' '\n' | sort -u | wc -l) of $(python3 $compare script x | grep -c '^usdt')"
python3 $compare script x | sed -n 's/^usdt:x:vm:\(.*\) {/\1/p' | sort >"$TMPDIR/all"
cat "$TMPDIR"/fired.* | tr ' ' '\n' | sort -u | comm -13 - "$TMPDIR/all" | sed 's/^/not provoked: /'
