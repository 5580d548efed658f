#!/bin/bash
# The result of each bundled script over each program equals the VM's own counters. Those for logs
# of GHC are in trace_ghc.sh.
set -eu
programs=(examples/toy/programs/*.toy)
[ "${VMTAP_SANITIZED:-0}" = 1 ] && programs=(examples/toy/programs/{redefine,pipeline}.toy)
for program in "${programs[@]}"; do
	for script in $("$VMTAP" scripts | awk '$1 !~ /^ghc_/ { print $1 }'); do
		rm -f "$TMPDIR"/*
		"$VMTAP" trace --lossless -o "$TMPDIR/out" "$script" \
			-c "$TOY --caps=2 --stats=json --stats-by=$TMPDIR/by $program" \
			>/dev/null 2>"$TMPDIR/errors" ||
			{ echo "$program, $script: status $?"; cat "$TMPDIR/errors"; exit 1; }
		result=$(python3 tests/e2e/witness.py bundled "$script" "$TMPDIR/errors" \
			"$TMPDIR/by" "$TMPDIR/out") || { echo "$program: $result"; cat "$TMPDIR/out"; exit 1; }
		echo "$program: $result"
	done
done
