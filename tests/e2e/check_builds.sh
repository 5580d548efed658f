#!/bin/bash
# vmtap check on real builds: a program with the library's probes, built by both compilers, at
# each optimisation level, with LTO, lld and gold, with --gc-sections, stripped, PIE or not,
# static, as a shared object and as the toy VM. Each keeps the contract and the contracts of
# the compatible providers that it has opted in to.
set -u
VMTAP=${VMTAP:-build/vmtap}
BUILD=${BUILD:-build}
TOY=${TOY:-$BUILD/toy}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
failed=0
checked=0
if [ "${VMTAP_SANITIZED:-0}" = 1 ]; then
	echo "a library built with sanitizers does not link without them"
	exit 77
fi

cat >"$directory/vm.c" <<'C'
#include <stdio.h>
#include <vmtap.h>
#ifdef EXTENSION
void extension(void);
void extension(void)
#else
int main(void)
#endif
{
	static struct vmtap_name reason = VMTAP_NAME("gc");

	VMTAP_STARTUP(1);
	VMTAP_PAUSE_BEGIN(0, &reason);
	VMTAP_PAUSE_END(0, &reason);
	VMTAP_SHUTDOWN(0);
#ifndef EXTENSION
	return 0;
#endif
}
C

check() {
	local name=$1 contract
	shift
	checked=$((checked + 1))
	for contract in probes/vm.d probes/compat/*.d; do
		if ! "$VMTAP" check --contract "$contract" "$@" >"$directory/out" 2>&1; then
			echo "FAILED: $name: $contract"
			head -n 20 "$directory/out"
			failed=1
		fi
	done
}

opt_in="-DVMTAP_PROVIDER_HASKELLEVENT -DVMTAP_PROVIDER_RUBY -DVMTAP_PROVIDER_CCL"

# build NAME COMPILER FLAGS...: skipped if the machine lacks the tools
build() {
	local name=$1 compiler=$2
	shift 2
	command -v "$compiler" >/dev/null || return 1
	# shellcheck disable=SC2086
	if ! "$compiler" $opt_in -Iinclude -I"$BUILD/include" -o "$directory/$name" "$directory/vm.c" "$@" \
		"$BUILD/libvmtap_probes.a" "$BUILD/libvmtap.a" -pthread \
		>"$directory/log" 2>&1; then
		if grep -qE 'invalid linker name|cannot find .?ld|unable to find linker|LLVMgold|lto' \
			"$directory/log"; then
			echo "no tools for: $compiler $*"
			return 1
		fi
		echo "FAILED to build: $compiler $*"
		cat "$directory/log"
		failed=1
		return 1
	fi
	check "$compiler $*" "$directory/$name"
}

for compiler in gcc clang; do
	for level in -O0 -O2 -O3; do
		build "$compiler$level" "$compiler" "$level"
	done
	build "$compiler-lto" "$compiler" -O2 -flto
	build "$compiler-lld" "$compiler" -O2 -fuse-ld=lld
	build "$compiler-lld-gc" "$compiler" -O2 -fuse-ld=lld -ffunction-sections -fdata-sections \
		-Wl,--gc-sections
	build "$compiler-gold-gc" "$compiler" -O2 -fuse-ld=gold -ffunction-sections \
		-Wl,--gc-sections
	build "$compiler-bfd-gc" "$compiler" -O2 -ffunction-sections -Wl,--gc-sections
	build "$compiler-nopie" "$compiler" -O2 -no-pie -fno-pie
	build "$compiler-pie" "$compiler" -O2 -pie -fPIE
	build "$compiler-static" "$compiler" -O2 -static
	build "$compiler-static-pie" "$compiler" -O2 -static-pie -fPIE
	build "$compiler-extension.so" "$compiler" -O2 -shared -fPIC -DEXTENSION
	if build "$compiler-stripped" "$compiler" -O2; then
		strip "$directory/$compiler-stripped"
		check "$compiler, stripped" "$directory/$compiler-stripped"
		strip --strip-unneeded -o "$directory/unneeded" "$directory/$compiler-O2"
		check "$compiler, strip --strip-unneeded" "$directory/unneeded"
	fi
done
# only providers that are opted in to exist; the linker's -u can opt in too
only() { # expected providers, flags
	local providers=$1 found
	shift
	if ! gcc -O2 -Iinclude -I"$BUILD/include" "$@" -o "$directory/only" "$directory/vm.c" \
		"$BUILD/libvmtap_probes.a" "$BUILD/libvmtap.a" -pthread; then
		echo "FAILED to build: $*"
		failed=1
		return
	fi
	found=$("$VMTAP" list "$directory/only" | awk 'NR > 1 { print $2 }' | sort -u | xargs)
	if [ "$found" != "$providers" ]; then
		echo "FAILED: with '$*' there are the providers $found, expected $providers"
		failed=1
	fi
}
only "vm"
only "ruby vm" -DVMTAP_PROVIDER_RUBY
only "ccl vm" -Wl,-u,vmtap_provider_ccl
only "HaskellEvent ccl vm" -Wl,-u,vmtap_provider_ccl -DVMTAP_PROVIDER_HASKELLEVENT -flto

[ -x "$TOY" ] && check "the toy VM" "$TOY"
if [ -x "$TOY" ]; then
	strip -o "$directory/toy" "$TOY"
	check "the toy VM, stripped" "$directory/toy"
fi
# the check of the toy without probes fails, with one line that says why
if [ -x "$BUILD/toy-noprobes" ]; then
	"$VMTAP" check -c probes/vm.d "$BUILD/toy-noprobes" >"$directory/out" 2>&1
	status=$?
	if [ $status != 1 ] || [ "$(wc -l <"$directory/out")" != 1 ] ||
		! grep -q 'vm: missing: none of the .* probes is there: ' "$directory/out"; then
		echo "FAILED: toy-noprobes, status $status"
		cat "$directory/out"
		failed=1
	fi
fi
echo "$checked builds checked"
[ "$checked" -gt 0 ] || exit 77
exit $failed
