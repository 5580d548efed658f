#!/bin/bash
# Each probe of the contract has a program that provokes it, and fires as often as the VM counts.
set -eu
missing=0
for probe in $(sed -n 's/^\tprobe \([a-z_]*\)(.*/\1/p' probes/vm.d | sed 's/__/-/g'); do
	program=tests/toy/probes/$probe.toy
	[ -e "$program" ] || { echo "$probe: no $program"; missing=1; continue; }
	"$VMTAP" trace --lossless -q -n "vm\$target:::$probe { @[probename] = count(); }" -o "$TMPDIR/out" \
		-c "$TOY --caps=2 --stats=json $program" >/dev/null 2>"$TMPDIR/errors" ||
		{ echo "$probe: status $?"; cat "$TMPDIR/errors"; exit 1; }
	seen=$(awk 'NF == 2 { print $2 }' "$TMPDIR/out")
	counted=$(grep '^{' "$TMPDIR/errors" | sed "s/.*\"$probe\": *\([0-9]*\).*/\1/")
	[ -n "$seen" ] && [ "$seen" = "$counted" ] ||
		{ echo "$probe: ${seen:-none} seen, the VM counted $counted"; exit 1; }
	echo "$probe: $seen"
	rm -f "$TMPDIR/out"
done
exit $missing
