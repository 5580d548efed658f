#!/bin/bash
# A program in Rust, with guards inlined and linked by each linker, and with libvmtap_ffi.so: its
# client has every event with its arguments, and bpftrace sees them too.
set -u
[ "${VMTAP_SANITIZED:-0}" != 1 ] || { echo "Rust does not link a library built with sanitizers" && exit 77; }
# Debian's, which is not the newest: it must do.
rustc=/usr/bin/rustc
[ -x $rustc ] || rustc=$(command -v rustc) || { echo "no rustc" && exit 77; }
. tests/witness/bpftrace
traces=1
(need_bpftrace) >/dev/null || traces=0
failed=0
$CC -std=gnu11 -D_GNU_SOURCE -O1 -Iinclude -Isrc -I"$BUILD/include" -o "$TMPDIR/show" \
	tests/shim/show.c tests/shim/reader.c || exit 1
for ((i = 0; i < 1000; i++)); do
	echo "method-entry \"Point\" \"move\" \"zwölf.py\" $i 7"
	echo "gc-start 3 1 0 $(((1 << 40) + i)) \"request\" $((i + 1))"
done >"$TMPDIR/expected"

try() { # NAME
	local program=$TMPDIR/$1 vm sites=$TMPDIR/$1
	VMTAP_WAIT=1 timeout "${COMMAND_SECONDS:-300}" "$program" "$TMPDIR/socket" 1000 &
	vm=$!
	"$TMPDIR/show" "$TMPDIR/socket" >"$TMPDIR/got"
	wait $vm || { echo "$1: status $?" && failed=1; }
	diff "$TMPDIR/expected" "$TMPDIR/got" >"$TMPDIR/difference" ||
		{ echo "$1: other events" && head "$TMPDIR/difference" && failed=1; }
	tried=$((tried + 1))
	# bpftrace finds the probes of an object that is loaded later only in a process
	[ "$1" != shared ] && [ $traces = 1 ] || return
	got=$(timeout "${COMMAND_SECONDS:-300}" bpftrace -c "$program closed 1000" -e "
		usdt:$sites:vm:method__entry { @[str(arg0), str(arg1), str(arg2), arg4] = count(); }
		usdt:$sites:vm:gc__start { @gc[arg0, arg1, arg2] = count(); }" 2>"$TMPDIR/errors" </dev/null | grep '^@' | sort | xargs)
	[ "$got" = "@[Point, move, zwölf.py, 7]: 1000 @gc[3, 1, 0]: 1000" ] ||
		{ echo "$1: bpftrace sees $got" && cat "$TMPDIR/errors" && failed=1; }
}
tried=0
for linker in bfd gold lld mold; do
	# shellcheck disable=SC2086
	if ! $rustc -O -A warnings -C linker=gcc -C link-arg=-fuse-ld=$linker -o "$TMPDIR/$linker" tests/shim/ffi.rs \
		-C link-arg="$BUILD/libvmtap.a" -C link-arg=-pthread -C link-arg=-lc 2>"$TMPDIR/log"; then
		grep -qE 'cannot find .?ld' "$TMPDIR/log" && continue
		echo "FAILED to build with $linker:" && head -n 30 "$TMPDIR/log" && failed=1
		continue
	fi
	try $linker
done
if $rustc -O -A warnings --cfg shared -C linker=gcc -o "$TMPDIR/shared" tests/shim/ffi.rs \
	-C link-arg="$BUILD/libvmtap_ffi.so" -C link-arg="$BUILD/libvmtap.so" \
	-C link-arg=-Wl,-rpath,"$PWD/$BUILD" 2>"$TMPDIR/log"; then
	try shared
else
	echo "FAILED to build with libvmtap_ffi.so:" && head -n 30 "$TMPDIR/log" && failed=1
fi
# The guard is inlined: the program tests the word itself.
case $(uname -m) in
x86_64)
	objdump -d --no-show-raw-insn "$TMPDIR/bfd" | awk '/<.*ffi.*main.*>:$/ { on = 1 } /^$/ { on = 0 } on' >"$TMPDIR/code"
	[ "$(grep -c 'cmpl *$0x0,' "$TMPDIR/code")" -ge 2 ] && ! grep -q vmtap_guard "$TMPDIR/code" ||
		{ echo "guards are not inlined" && failed=1; }
	;;
esac
echo "$tried programs"
[ "$tried" -ge 2 ] && exit $failed
