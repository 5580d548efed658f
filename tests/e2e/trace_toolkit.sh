#!/bin/bash
# Runs the scripts of tests/d/toolkit, which the goldens there run over logs, on a live VM:
# each ends with the program, without a fault, and with some output.
set -eu
options=()
program="examples/toy/programs/queens.toy 5"
for script in tests/d/toolkit/*.d; do
	case $script in
	*/ccl_gc.d) continue ;; # takes the pid of its log as argument
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

# Only the stream has CPU times: no method's exclusive time exceeds its inclusive time.
"$VMTAP" trace -Z --lossless -o "$TMPDIR/out" -s tests/d/toolkit/cputime.d -c "$TOY $program" \
	>/dev/null 2>&1
awk '$2 == "method" { n++; if ($4 > $5 && $5) bad = 1 } END { exit bad || !n }' "$TMPDIR/out" ||
	{ cat "$TMPDIR/out"; exit 1; }
