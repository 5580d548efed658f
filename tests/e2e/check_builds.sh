#!/bin/bash
# Real builds, by each compiler, linker and way of building that the machine has tools for
# (tests/shim/every_builds.sh). Each runs with all guards open, with the runtime and without it;
# with a client, its stream has every event with the right arguments; and vmtap check finds that
# it keeps the contract and those of the compatible providers that it has opted in to. The check
# also passes on the toy VM, at each optimisation level, and on stripped files.
# tests: src/usdt/elf/contract_check.c
# limit: 900
set -u
VMTAP=${VMTAP:-build/vmtap}
BUILD=${BUILD:-build}
TOY=${TOY:-$BUILD/toy}
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
directory=$TMPDIR
failed=0
checked=0
if [ "${VMTAP_SANITIZED:-0}" = 1 ]; then
	echo "a library built with sanitizers does not link without them"
	exit 77
fi
. tests/shim/every_builds.sh

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

fail() {
	echo "FAILED: $*"
	failed=1
}

# Limits for programs that hang.
limited() {
	timeout "${COMMAND_SECONDS:-300}" "$@"
}

$CC -std=gnu11 -D_GNU_SOURCE -O1 -Iinclude -Isrc -I"$BUILD/include" -o "$directory/show" \
	tests/shim/show.c tests/shim/reader.c || exit 1
every_expected >"$directory/expected" || exit 1

try() { # NAME
	local folder=$directory/$1 vm status
	limited "$folder/plain" alone || fail "$1: without the runtime, all guards open: status $?"
	limited "$folder/vm" alone || fail "$1: all guards open: status $?"
	VMTAP_WAIT=1 limited "$folder/vm" "$directory/socket" &
	vm=$!
	limited "$directory/show" "$directory/socket" >"$folder/got" || fail "$1: the stream"
	status=0
	wait $vm || status=$?
	[ $status = 0 ] || fail "$1: with a client: status $status"
	diff "$directory/expected" "$folder/got" >"$folder/difference" ||
		{ fail "$1: the stream has other events" && head -n 10 "$folder/difference"; }
	check "$1" "$folder/sites"
	case $1 in
	*-bfd-pie)
		strip -o "$folder/stripped" "$folder/vm"
		check "$1, stripped" "$folder/stripped"
		strip --strip-unneeded -o "$folder/unneeded" "$folder/vm"
		check "$1, strip --strip-unneeded" "$folder/unneeded"
		;;
	esac
	rm -rf "$folder"
}
every_builds try || failed=1
echo "$every_count builds fired every probe"
# A compiler alone is a linker's and ten ways' worth of builds.
[ "$every_count" -ge 10 ] || fail "too few builds"

cat >"$directory/vm.c" <<'C'
#include <vmtap.h>
int main(void)
{
	VMTAP_STARTUP(1);
	return 0;
}
C
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
