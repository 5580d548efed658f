#!/bin/bash
# bpftrace sees the probes of provider vm and of the compatible providers with the right arguments
# in each build of tests/shim/every_builds.sh. It is attached before the program starts, or, for
# shared objects, which it finds only in a process, before the program fires.
#
# The kernel takes a tenth of a second to attach a probe and to detach it, whatever else it does.
# One build by each compiler and linker is therefore traced with all probes, and each other one
# with some: what a linker does to a probe it does to an object's other ones too, and the parts
# take turns. EVERY_PROBE=1 traces all probes in all builds, which takes half an hour.
# limit: 900
set -u
. tests/witness/bpftrace
need_bpftrace
. tests/shim/every_builds.sh
failed=0
traced=0
parts=35

every_expected >"$TMPDIR/list" || exit 1

trace() { # NAME PART PARTS
	local folder=$TMPDIR/$1 tracer vm
	python3 tests/witness/every.py script "$(readlink -f "$folder/sites")" "$2" "$3" >"$folder/script"
	python3 tests/witness/every.py expected "$TMPDIR/list" "$2" "$3" | LC_ALL=C sort >"$folder/expected"
	[ -s "$folder/expected" ] || { echo "FAILED: $1: nothing to expect"; failed=1; }
	case $1 in
	*-shared*)
		mkfifo "$folder/line"
		"$folder/vm" ready <"$folder/line" >"$folder/said" &
		vm=$!
		exec 4>"$folder/line"
		until grep -qs ready "$folder/said" || ! kill -0 $vm 2>/dev/null; do sleep 0.01; done
		timeout "${COMMAND_SECONDS:-300}" bpftrace -B line --usdt-file-activation "$folder/script" \
			>"$folder/out" 2>"$folder/errors" </dev/null 4>&- &
		tracer=$!
		until grep -qs attached "$folder/out" || ! kill -0 "$tracer" 2>/dev/null; do sleep 0.01; done
		echo >&4
		exec 4>&-
		wait $vm
		end_tracers "$tracer"
		;;
	*)
		timeout "${COMMAND_SECONDS:-300}" bpftrace -B none "$folder/script" -c "$folder/vm" \
			>"$folder/out" 2>"$folder/errors" </dev/null
		;;
	esac
	sed '/^$/d; /^Attaching/d; /^attached/d' "$folder/out" | LC_ALL=C sort >"$folder/got"
	if ! diff "$folder/expected" "$folder/got" >"$folder/difference"; then
		echo "FAILED: $1, part $2 of $3: bpftrace sees other events"
		head -n 10 "$folder/difference"
		grep -vE 'RLIMIT|uprobe_events|failed to detach' "$folder/errors" | head -n 5
		failed=1
	fi
	traced=$((traced + 1))
	rm -rf "$folder"
}
try() { # NAME
	if [ "${1#*-*-}" = pie ] || [ "${EVERY_PROBE:-0}" = 1 ]; then
		trace "$1" 0 1
	else
		trace "$1" $((traced % parts)) $parts
	fi
}
every_builds try || failed=1

# The library's own objects, built by the other compiler.
if command -v clang >/dev/null; then
	make -s B="$TMPDIR/clang" CC=clang HOSTCC=clang VMTAP_NO_INSTALL=1 "$TMPDIR/clang/libvmtap.a" \
		"$TMPDIR/clang/libvmtap_probes.a" "$TMPDIR/clang/gen/test_calls.h" >"$TMPDIR/log" 2>&1 ||
		{ cat "$TMPDIR/log"; exit 1; }
	every_flags=${every_flags//-I$BUILD/-I$TMPDIR/clang}
	BUILD=$TMPDIR/clang EVERY_ONLY=clang-bfd-pie every_builds try || failed=1
fi
echo "$traced builds traced"
exit $failed
