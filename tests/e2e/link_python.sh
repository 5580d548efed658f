#!/bin/bash
# A Python script fires through libvmtap_ffi.so: the client has every event with its arguments, and
# names that have no NUL in the script; also if the loop of the script takes the turns of the library.
# The library exports its interface and nothing else.
set -eu
[ "${VMTAP_SANITIZED:-0}" != 1 ] || { echo "Python does not load a library built with sanitizers" && exit 77; }
$CC -std=gnu11 -D_GNU_SOURCE -O1 -Iinclude -Isrc -I"$BUILD/include" -o "$TMPDIR/show" \
	tests/shim/show.c tests/shim/reader.c

for ((i = 0; i < 1000; i++)); do
	echo "method-entry \"Point\" \"move\" \"zwölf.py\" $i 7"
	echo "gc-start 3 1 0 $(((1 << 40) + i)) \"request\" $((i + 1))"
done >"$TMPDIR/expected"
try() { # WAIT [loop]
	VMTAP_WAIT=$1 timeout "${COMMAND_SECONDS:-300}" python3 tests/shim/ffi.py "$PWD/$BUILD/libvmtap_ffi.so" \
		"$TMPDIR/socket" 1000 "${@:2}" &
	"$TMPDIR/show" "$TMPDIR/socket" >"$TMPDIR/got"
	wait $!
	diff "$TMPDIR/expected" "$TMPDIR/got"
}
try 1
try 0 loop # the client comes later
try 1 loop

exported=$(nm -D --defined-only "$BUILD/libvmtap_ffi.so" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort | xargs)
wanted=$(sed -n 's/^VMTAP_PART .*[ *]\(vmtap_[a-z_]*\)(.*/\1/p' include/vmtap.h | sort | xargs)
[ "$exported" = "$wanted" ] || { echo "libvmtap_ffi.so exports $exported, expected $wanted" && exit 1; }
