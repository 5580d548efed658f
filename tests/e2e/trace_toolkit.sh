#!/bin/bash
# The scripts of tests/d/toolkit, which that folder's goldens run over logs, on a living VM:
# each ends with the program, without a fault, and with something to show.
set -eu
options=()
program="examples/toy/programs/queens.toy 5"
for script in tests/d/toolkit/*.d; do
	case $script in
	*/ccl_gc.d) continue ;; # is given the pid in its log
	esac
	eval "options=($(sed -n 's/^[ /*]*@options //p' "$script" | sed 's| *\*/$||'))"
	"$VMTAP" trace -Z --lossless -o "$TMPDIR/out" -s "$script" "${options[@]}" \
		-c "$TOY $program" >/dev/null 2>"$TMPDIR/errors" ||
		{ echo "$script: status $?"; cat "$TMPDIR/errors"; exit 1; }
	if grep -q "dtrace: error\|drop" "$TMPDIR/errors" || [ ! -s "$TMPDIR/out" ]; then
		echo "$script:"
		cat "$TMPDIR/errors" "$TMPDIR/out"
		exit 1
	fi
	rm "$TMPDIR/out"
done

# CPU time is the stream's alone: no method takes more of it alone than with its callees.
"$VMTAP" trace -Z --lossless -o "$TMPDIR/out" -s tests/d/toolkit/cputime.d -c "$TOY $program" \
	>/dev/null 2>&1
awk '$2 == "method" { n++; if ($4 > $5 && $5) bad = 1 } END { exit bad || !n }' "$TMPDIR/out" ||
	{ cat "$TMPDIR/out"; exit 1; }
