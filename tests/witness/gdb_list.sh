#!/bin/bash
# `vmtap list` and gdb's `info probes stap` agree on a binary's probes: provider, name, address
# and semaphore of every site. Tested on the toy VM, and on small programs linked in the ways
# that the library supports.
set -u
. tests/witness/binaries

command -v gdb >/dev/null || {
	echo "gdb is not installed"
	exit 77
}

from_gdb() {
	LC_ALL=C gdb -q -nx -batch -iex 'set debuginfod enabled off' -iex 'set auto-load off' \
		-ex 'set width 0' -ex 'set pagination off' -ex 'info probes stap' "$1" 2>"$TMPDIR/gdb" |
		awk '$1 == "stap" { print $2, $3, $4, $5 }' | tidy
}

failed=0
for binary in $(all_binaries); do
	listed_sites "$binary" | awk '{ print $1, $2, $3, $4 }' | sort >"$TMPDIR/listed"
	from_gdb "$binary" >"$TMPDIR/shown"
	if [ ! -s "$TMPDIR/shown" ]; then
		echo "$binary: gdb shows no probes: $(tail -n 1 "$TMPDIR/gdb")"
		failed=1
	elif ! diff "$TMPDIR/shown" "$TMPDIR/listed" >"$TMPDIR/difference"; then
		echo "$binary: gdb (<) and vmtap list (>) differ:"
		head -n 20 "$TMPDIR/difference"
		failed=1
	else
		echo "$binary: $(wc -l <"$TMPDIR/listed") sites agree"
	fi
done
exit $failed
