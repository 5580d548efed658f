#!/bin/bash
# Every probe of the compatible providers, with every argument as `vmtap trace` prints it,
# equals what the VM has logged for its event. Runs programs that do everything, and the small
# programs that each trigger the event of one probe; every probe occurs. The contracts declare
# exactly the probes in the table of compat.py, and vmtap check finds them in the toy.
# tests: src/wire/describe.c
# limit: 900
set -eu
script=$TMPDIR/all.d
python3 tests/e2e/compat.py script >"$script"
programs=(examples/toy/programs/{redefine,pipeline,parmap,wordcount}.toy)
[ "${VMTAP_SANITIZED:-0}" = 1 ] && echo "left out: other programs: they take long with sanitizers" &&
	programs=(examples/toy/programs/redefine.toy)

diff <(python3 tests/e2e/compat.py probes | cut -d ' ' -f 1 | sort) \
	<(for contract in probes/compat/*.d; do
		provider=$(sed -n 's/^provider \(.*\) {/\1/p' "$contract")
		sed -n "s/^	probe \([a-z_]*\)(.*/\1/p" "$contract" | sed "s/__/-/g; s/^/$provider:/"
		"$VMTAP" check --contract "$contract" "$TOY" >&2 || echo "$contract: not kept"
	done | sort)

compare() { # PROGRAM OPTIONS
	local program=$1 options=$2 log=$TMPDIR/log out=$TMPDIR/out errors=$TMPDIR/errors result
	rm -f "$log" "$out"
	"$VMTAP" trace --lossless -q -s "$script" -o "$out" \
		-c "$TOY $options --event-log=$log $program" >/dev/null 2>"$errors" ||
		{ echo "$program: status $?"; cat "$errors"; exit 1; }
	if grep -E 'drop|error on|error in' "$errors"; then
		echo "$program: not lossless"
		exit 1
	fi
	python3 tests/e2e/compat.py log "$log" >"$TMPDIR/expected"
	result=$(python3 tests/e2e/witness.py arguments "$TMPDIR/expected" "$out") ||
		{ echo "$program: $result"; exit 1; }
	echo "$program: $result"
	cut -d ' ' -f 1 "$TMPDIR/expected" | sort -u >>"$TMPDIR/occurred"
}

for program in "${programs[@]}"; do
	compare "$program" --caps=2
done
: >"$TMPDIR/occurred"
for event in $(python3 tests/e2e/compat.py probes | cut -d ' ' -f 2 | sort -u); do
	program=tests/toy/probes/$event.toy
	compare "$program" "$(sed -n 's/^# options: //p' "$program")"
	# with one collector thread and with several
	[ "$event" != gc-request ] || compare "$program" --caps=2
done
missing=$(python3 tests/e2e/compat.py probes | cut -d ' ' -f 1 | sort -u | comm -23 - <(sort -u "$TMPDIR/occurred"))
[ -z "$missing" ] || { echo "not provoked: $missing"; exit 1; }
