#!/bin/bash
# Every probe with every argument, as `vmtap trace` prints it, is what the VM itself has logged:
# over each program, and over the small programs that provoke each probe.
set -eu
script=$TMPDIR/all.d
python3 tests/e2e/witness.py script >"$script"
programs=(examples/toy/programs/*.toy)
[ "${VMTAP_SANITIZED:-0}" = 1 ] && programs=(examples/toy/programs/{redefine,pipeline,parmap}.toy)

for program in "${programs[@]}" tests/toy/probes/*.toy; do
	log=$TMPDIR/log out=$TMPDIR/out errors=$TMPDIR/errors
	rm -f "$log" "$out"
	# Programs may end with an error of the guest: the trace ends with them in order.
	"$VMTAP" trace --lossless -q -s "$script" -o "$out" \
		-c "$TOY --caps=2 --event-log=$log $program" >/dev/null 2>"$errors" ||
		{ echo "$program: status $?"; cat "$errors"; exit 1; }
	if grep -E 'drop|error on|error in' "$errors"; then
		echo "$program: not lossless"
		exit 1
	fi
	result=$(python3 tests/e2e/witness.py arguments "$log" "$out") || { echo "$program: $result"; exit 1; }
	echo "$program: $result"
done
