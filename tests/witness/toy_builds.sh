#!/bin/bash
# The toy VM and the library, built with both compilers in ways that have made other projects
# lose their probes: each build runs, keeps the contract, even stripped, and its stream works.
# limit: 900
set -u
directory=$TMPDIR
failed=0 built=0

# toy NAME COMPILER MAKE-VARIABLE...
toy() {
	local name=$1 compiler=$2 out=$directory/$1
	shift 2
	command -v "$compiler" >/dev/null || { echo "no $compiler: $name is left out"; return; }
	if ! make -s -j2 B="$out" CC="$compiler" HOSTCC="$compiler" VMTAP_NO_INSTALL=1 "$@" "$out/toy" \
		>"$directory/log" 2>&1; then
		echo "FAILED to build: $name ($*)"
		tail -n 20 "$directory/log"
		failed=1
		return
	fi
	strip -o "$out/stripped" "$out/toy"
	for binary in "$out/toy" "$out/stripped"; do
		if ! "$VMTAP" check --contract probes/vm.d "$binary" >"$directory/log" 2>&1; then
			echo "FAILED: $name: $(basename "$binary")"
			head -n 10 "$directory/log"
			failed=1
		fi
	done
	"$VMTAP" trace --lossless -q -o "$out/counts" -c "$out/toy --stats=json examples/toy/programs/queens.toy" \
		-n 'vm$target::: { @[probename] = count(); }' >/dev/null 2>"$out/errors" &&
		result=$(python3 tests/e2e/witness.py counts "$out/errors" "$out/counts") ||
		{ echo "FAILED: $name: $result"; failed=1; }
	echo "$name: $result"
	built=$((built + 1))
	rm -rf "$out"
}

sections="-ffunction-sections -fdata-sections"
for compiler in gcc clang; do
	toy $compiler-O0 $compiler OPT=-O0
	toy $compiler-O3 $compiler OPT=-O3
	toy $compiler-pie $compiler OPT=-O2 CFLAGS=-fPIE LDFLAGS=-pie
	toy $compiler-no-pie $compiler OPT=-O2 CFLAGS=-fno-pie LDFLAGS=-no-pie
	toy $compiler-static $compiler OPT=-O2 LDFLAGS=-static
	toy $compiler-lld-gc-sections $compiler OPT=-O2 CFLAGS="$sections" \
		LDFLAGS="-fuse-ld=lld -Wl,--gc-sections"
done
toy gcc-lto gcc OPT=-O2 CFLAGS="-flto=2 -ffat-lto-objects" LDFLAGS=-flto=2 AR=gcc-ar
toy clang-lto clang OPT=-O2 CFLAGS=-flto LDFLAGS="-flto -fuse-ld=lld"
echo "$built builds"
[ "$built" -gt 0 ] || exit 77
exit $failed
