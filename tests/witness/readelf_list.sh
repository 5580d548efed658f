#!/bin/bash
# `vmtap list` and readelf agree on a binary's probes: provider, name, address, semaphore and
# operands of every site, no more and no fewer. Tested on the toy VM, and on small programs
# linked in the ways that the library supports.
set -u
. tests/witness/binaries

command -v readelf >/dev/null || {
	echo "readelf is not installed"
	exit 77
}

# A line for each site, from readelf's notes.
from_readelf() {
	LC_ALL=C readelf -nW "$1" | awk '
		function flush() {
			if (name != "")
				print provider, name, place, semaphore, arguments
			name = arguments = ""
		}
		/NT_STAPSDT/ { flush() }
		/Provider: / { flush(); sub(/.*Provider: /, ""); provider = $0; next }
		/^ *Name: / { name = $2 }
		/^ *Location: / { gsub(",", ""); place = $2; semaphore = $6 }
		/^ *Arguments: / { sub(/^ *Arguments: */, ""); arguments = $0 }
		END { flush() }' | tidy
}

failed=0
for binary in $(all_binaries); do
	listed_sites "$binary" >"$TMPDIR/listed"
	from_readelf "$binary" >"$TMPDIR/noted"
	if [ ! -s "$TMPDIR/noted" ]; then
		echo "$binary: readelf shows no probes"
		failed=1
	elif ! diff "$TMPDIR/noted" "$TMPDIR/listed" >"$TMPDIR/difference"; then
		echo "$binary: readelf (<) and vmtap list (>) differ:"
		head -n 20 "$TMPDIR/difference"
		failed=1
	else
		echo "$binary: $(wc -l <"$TMPDIR/listed") sites agree"
	fi
done
exit $failed
