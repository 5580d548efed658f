#!/bin/bash
# The archives put no names into a VM but their own: each global name begins with vmtap_, or is
# a semaphore's, which its note and tracers know. A VM that has functions of the names that the
# runtime uses within is linked in every way that VMs are, and its stream has every event. A VM
# that never starts the stream has nothing of the runtime in it.
set -eu

fail() {
	echo "$*"
	exit 1
}
defined() { # FILE: its global names
	nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }' | sort -u
}

# Beside ours: the base section's name is that of <sys/sdt.h>, which tells sites from moved ones,
# and a sanitizer's are made of ours.
for archive in libvmtap.a libvmtap_probes.a; do
	names=$(defined "$BUILD/$archive" | grep -vE '^(__odr_asan[._])?(vmtap_|vm_[a-z0-9_]+_semaphore$)|^_\.stapsdt\.base$' || true)
	[ -z "$names" ] || fail "$archive defines $names"
done
[ "$(ar t "$BUILD/libvmtap.a" | grep -c vmtap_runtime.o)" = 1 ] || fail "no runtime in libvmtap.a"

# ---- a VM with the same names ----

flags="-std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc -I$BUILD/include"
sanitize=
[ "${VMTAP_SANITIZED:-0}" = 1 ] && sanitize="-fsanitize=address,undefined"
# shellcheck disable=SC2086
$CC $flags $sanitize -O1 -o "$TMPDIR/count" tests/shim/count.c tests/shim/reader.c

inner=$(defined "$BUILD/libruntime.a" | grep -vE '^vmtap_|[^A-Za-z0-9_]|^__' || true)
[ "$(echo "$inner" | wc -l)" -gt 50 ] || fail "the runtime has few names: $inner"
for name in $(echo "$inner log_open queue_open clock_start ring_make client_open" | xargs -n 1 | sort -u); do
	echo "int $name(void); __attribute__((used)) int $name(void) { vm_own_calls++; return 0; }"
done >"$TMPDIR/own.inc"
cat >"$TMPDIR/vm.c" <<'C'
#include <stdio.h>
#include "vmtap.h"

static int vm_own_calls;
#include "own.inc"

int main(int argc, char **argv)
{
#ifdef WITH_STREAM
	struct vmtap_options options = {.size = sizeof(options), .socket = argv[argc - 1]};

	if (vmtap_start(&options))
		return 1;
#endif
	(void)argc;
	(void)argv;
	for (int i = 0; i < 1000; i++)
		VMTAP_GC_IDLE(1);
#ifdef WITH_STREAM
	vmtap_stop();
#endif
	if (vm_own_calls)
		fprintf(stderr, "the library has called the VM's own functions\n");
	return vm_own_calls != 0;
}
C

# Links the VM with the stream and without, and runs both.
try() { # COMPILER FLAGS...
	local got left
	"$1" $flags "${@:2}" -DWITH_STREAM -o "$TMPDIR/vm" "$TMPDIR/vm.c" "$BUILD/libvmtap.a" -pthread || fail "$* does not link"
	"$1" $flags "${@:2}" -o "$TMPDIR/plain" "$TMPDIR/vm.c" "$BUILD/libvmtap.a" || fail "$* does not link without the stream"
	VMTAP_WAIT=1 timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/vm" "$TMPDIR/socket" &
	got=$("$TMPDIR/count" "$TMPDIR/socket" lossless) || fail "$*: no stream"
	wait $! || fail "$*: the VM has status $?"
	[ "$got" = "gc-idle 1000 0
cap 1 1000" ] || fail "$*: the stream has $got"
	"$TMPDIR/plain" || fail "$*: without the stream, status $?"
	left=$(nm "$TMPDIR/plain" | grep -E ' (vmtap_(start|stop|version|census|object_)[a-z_]*|server_main|ring_begin|encode_[a-z_]*)$' |
		grep -vE ' w vmtap_object_| T encode_[a-z_]*$' || true)
	[ -z "$left" ] || fail "$*: without the stream the VM still has $left"
}
if [ -n "$sanitize" ]; then
	try "$CC" $sanitize
	echo "left out: other compilers and linkers: a sanitizer's library belongs to its compiler"
	exit 0
fi
runs=0
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "left out: $cc: not installed" && continue; }
	for linker in bfd lld; do
		echo 'int main(void) { return 0; }' >"$TMPDIR/try.c"
		$cc -fuse-ld=$linker -o "$TMPDIR/try" "$TMPDIR/try.c" 2>/dev/null || { echo "left out: $cc with $linker: no such linker" && continue; }
		try $cc -fuse-ld=$linker -O2
		try $cc -fuse-ld=$linker -O2 -ffunction-sections -Wl,--gc-sections
		try $cc -fuse-ld=$linker -O0 -static
		if $cc -fuse-ld=$linker -flto -o "$TMPDIR/try" "$TMPDIR/try.c" 2>/dev/null; then
			try $cc -fuse-ld=$linker -O2 -flto
			try $cc -fuse-ld=$linker -O2 -flto -static -Wl,--gc-sections
		else
			echo "left out: $cc -flto with $linker: they do not go together here"
		fi
		runs=$((runs + 1))
	done
done
[ "$runs" -gt 0 ] || fail "nothing was linked"
