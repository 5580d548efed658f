#!/bin/bash
# The result of each bundled script over a VM's stream equals the VM's own counters: of each program
# for those that have many results, of one program for the others. Those for logs of GHC are in
# trace_ghc.sh.
# limit: 900
. tests/e2e/script_results

trace() { # script, program, further arguments
	local script=$1 program=$2 options="--caps=2 --stats=json --stats-by=$TMPDIR/by"
	shift 2
	rm -f "$TMPDIR"/*
	! needs_log "$script" || options+=" --event-log=$TMPDIR/by.log"
	"$VMTAP" trace --lossless -o "$TMPDIR/out" "$script" -c "$TOY $options $program" "$@" \
		>/dev/null 2>"$TMPDIR/errors" ||
		{ echo "$program, $script: status $?"; cat "$TMPDIR/errors"; exit 1; }
	! grep -E '^dtrace: (error|.*drop)' "$TMPDIR/errors" || { echo "$program, $script"; exit 1; }
	compare "$script" "$program"
}

for script in $listed; do
	for program in examples/toy/programs/*.toy; do
		name=$(basename "$program" .toy)
		# shellcheck disable=SC2046
		! suits "$script" "$name" || trace "$script" "$program" $(arguments "$script")
	done
done
