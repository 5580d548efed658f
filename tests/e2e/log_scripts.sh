#!/bin/bash
# The result of each bundled script over a recorded log equals the VM's own counters.
# limit: 900
. tests/e2e/script_results

for program in $programs; do
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
	"$VMTAP" record --lossless --cpu-clock --stacks -o "$TMPDIR/log" -p $pid 2>"$TMPDIR/record.errors" ||
		{ cat "$TMPDIR/record.errors"; exit 1; }
	trap - EXIT
	wait $pid || { cat "$TMPDIR/errors"; exit 1; }
	for script in $listed; do
		suits "$script" "$program" || continue
		rm -f "$TMPDIR/out"
		# shellcheck disable=SC2046
		"$VMTAP" trace -o "$TMPDIR/out" "$script" --log "$TMPDIR/log" $(arguments "$script") \
			2>"$TMPDIR/log.errors" || { echo "$program, $script: status $?"; cat "$TMPDIR/log.errors"; exit 1; }
		[ ! -s "$TMPDIR/log.errors" ] || { echo "$program, $script"; cat "$TMPDIR/log.errors"; exit 1; }
		compare "$script" "log of $program"
	done
done
