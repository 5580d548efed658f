#!/bin/bash
# Every probe, with every argument as `vmtap trace` prints it, equals what the VM itself has
# logged: for each program, and for the small programs that each trigger one probe of the
# contract (a line "# options:" in them gives the VM's options).
# limit: 900
set -eu
. tests/e2e/brief_programs
script=$TMPDIR/all.d
python3 tests/e2e/witness.py script >"$script"
programs=(examples/toy/programs/*.toy)
[ "${VMTAP_SANITIZED:-0}" = 1 ] && echo "left out: other programs: they take long with sanitizers" &&
	programs=(examples/toy/programs/{redefine,parmap}.toy)

compare() { # PROGRAM OPTIONS
	local program=$1 options=$2 log=$TMPDIR/log out=$TMPDIR/out errors=$TMPDIR/errors result
	rm -f "$log" "$out"
	# Programs may end with an error of the guest: the trace still ends properly.
	"$VMTAP" trace --lossless -q -s "$script" -o "$out" \
		-c "$TOY $options --event-log=$log $(briefly "$program")" >/dev/null 2>"$errors" ||
		{ echo "$program: status $?"; cat "$errors"; exit 1; }
	if grep -E 'drop|error on|error in' "$errors"; then
		echo "$program: not lossless"
		exit 1
	fi
	result=$(python3 tests/e2e/witness.py arguments "$log" "$out") || { echo "$program: $result"; exit 1; }
	echo "$program: $result"
}

for program in "${programs[@]}"; do
	compare "$program" --caps=2
done
for probe in $(sed -n 's/^\tprobe \([a-z_]*\)(.*/\1/p' probes/vm.d | sed 's/__/-/g'); do
	program=tests/toy/probes/$probe.toy
	compare "$program" "$(sed -n 's/^# options: //p' "$program")"
	grep -q "^$probe " "$TMPDIR/log" || { echo "$program: does not provoke $probe"; exit 1; }
done
