#!/bin/bash
# A macro takes less than 1 KB of stack, as vmtap.h says, also for a thread's first event if the
# program was linked with -z now. Else the dynamic linker needs some for the first event. Without a
# thread of the library's, an event that drains the rings takes less than 8 KB.
# limit: 900
set -eu
[ "${VMTAP_SANITIZED:-0}" != 1 ] || { echo "sanitizers need more" && exit 77; }
$CC -std=gnu11 -D_GNU_SOURCE -O1 -Iinclude -Isrc -I"$BUILD/include" -o "$TMPDIR/count" \
	tests/shim/count.c tests/shim/reader.c
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "left out: $cc: not installed" && continue; }
	for level in -O0 -O2; do
		$cc -std=gnu11 $level -Iinclude -I"$BUILD/include" -I"$BUILD/gen" -c -o "$TMPDIR/stack$level.o" tests/shim/stack.c
	done
	for flags in "-O0 -Wl,-z,now" "-O2 -Wl,-z,now" "-O2 -static" "-O2 -Wl,-z,lazy"; do
		# shellcheck disable=SC2086
		$cc $flags -o "$TMPDIR/stack" "$TMPDIR/stack${flags%% *}.o" "$BUILD/libvmtap.a" -pthread
		VMTAP_WAIT=1 timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/stack" "$TMPDIR/socket" >"$TMPDIR/out" &
		"$TMPDIR/count" "$TMPDIR/socket" lossless >/dev/null
		wait $!
		first=$(sed -n 's/^first //p' "$TMPDIR/out") later=$(sed -n 's/^later //p' "$TMPDIR/out")
		echo "$cc $flags: first $first, later $later"
		[ "$later" -lt 1024 ] || exit 1
		case $flags in *lazy) ;; *) [ "$first" -lt 1024 ] || exit 1 ;; esac
		VMTAP_WAIT=1 timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/stack" "$TMPDIR/socket" turns >"$TMPDIR/out" &
		"$TMPDIR/count" "$TMPDIR/socket" lossless >/dev/null
		wait $!
		drained=$(sed -n 's/^drained //p' "$TMPDIR/out")
		echo "drained $drained"
		# Else it has not drained anything.
		[ "$drained" -gt 1024 ] && [ "$drained" -lt 8192 ] || exit 1
	done
done
