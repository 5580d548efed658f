#!/bin/bash
# Each site is a 1-byte nop followed by a 10-byte nop, and its note names the first. Each probe of
# the contract has one site, the base section exists, and operands are registers or constants.
# tests: src/shim/core/fires.c
set -eu
case $(uname -m) in x86_64 | amd64) ;; *) echo "site bytes are known for x86-64 only" && exit 77 ;; esac
. tests/shim/build_hosts.sh
probes=$(grep -c '^[[:space:]]*probe ' probes/vm.d)
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "left out: $cc: not installed" && continue; }
	HOST_FLAGS=-Wl,-u,vmtap_fire build_hosts $cc # which asks for all probes
	for file in "$TMPDIR/host-static" "$TMPDIR/host-probes" "$TMPDIR/extension-a.so"; do
		readelf -n "$file" >"$TMPDIR/notes"
		[ "$(grep -c 'Name: ' "$TMPDIR/notes")" = "$probes" ] || { echo "$file: not $probes sites" && exit 1; }
		[ "$(grep 'Name: ' "$TMPDIR/notes" | sort -u | wc -l)" = "$probes" ] || { echo "$file: a probe has two sites" && exit 1; }
		! grep 'Base: 0x0*,' "$TMPDIR/notes" || { echo "$file: no base" && exit 1; }
		! grep 'Arguments:.*(%rip\|%rsp)' "$TMPDIR/notes" || { echo "$file: operands in memory" && exit 1; }
		objdump -d -w --insn-width=16 "$file" >"$TMPDIR/code"
		sed -n 's/.*Location: 0x0*\([0-9a-f]*\),.*/\1/p' "$TMPDIR/notes" |
			awk -v bytes="90 66 2e 0f 1f 84 00 00 00 00 00" -F '\t' '
			NR == FNR { wanted[$1 ":"]; next }
			FNR == 1 && !length(wanted) { exit 1 }
			{ at = $1; gsub(/ /, "", at); if (!length(at)) next; code = $2; gsub(/ +$/, "", code) }
			last != "" { got[last] = got[last] " " code; last = "" }
			at in wanted { got[at] = code; last = at }
			END {
				for (at in wanted)
					if (got[at] != bytes) {
						print "site at " at " is " got[at]
						wrong = 1
					}
				exit wrong || !length(wanted)
			}' - "$TMPDIR/code" || { echo "$file: not the bytes of a site" && exit 1; }
	done
done
