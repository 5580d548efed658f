#!/bin/bash
# The log of VMTAP_LOG on a disk that is full, or nearly: what fits is written, the log says what is
# missing, and who looks at the VM is told.
# tests: src/shim/server/log_watch.c src/shim/stream/log_file.c
set -u
. tests/e2e/common
alone "$0"
if [ -z "${TEST_HAS_DISKS:-}" ] && unshare --mount true 2>/dev/null; then
	TEST_HAS_DISKS=1 exec unshare --mount bash "$0"
fi

# a device that is always full: the VM runs on, and each client is told
VMTAP_DEBUG=server VMTAP_LOG=/dev/full "$TOY" tests/toy/loop.toy >/dev/null 2>"$directory/toy" &
toy=$!
pids+=("$toy")
await "the library does not notice" grep -q 'the log lacks events after 0 bytes: its disk is full' "$directory/toy"
await_stream "$toy"
told="process $toy \\(toy\\): the log of VMTAP_LOG lacks events after 0 bytes: its disk is full\$"
run 0 ps
has out "^ *$toy toy"
has err "^vmtap: $told"
run 0 trace -q -p "$toy" -n 'vm$target:::method-entry { exit(0); }'
has err "$told"
[ "$(grep -cE "$told" "$directory/err")" = 1 ] || fail "trace says it more than once"
kill -9 "$toy"
wait "$toy" 2>/dev/null

# an empty log
: >"$directory/empty"
run 3 log "$directory/empty"
has err 'empty: the log is empty: .* its disk has no room'

[ -n "${TEST_HAS_DISKS:-}" ] || { echo "left out: small disks: mount is not allowed" && exit 0; }
mkdir "$directory/disk"
mount -t tmpfs -o size=64k none "$directory/disk" || { echo "left out: small disks: no tmpfs" && exit 0; }
for room in 4 16 20; do # KiB
	rm -f "$directory"/disk/*
	dd if=/dev/zero of="$directory/disk/fill" bs=1k count=$((64 - room)) 2>/dev/null
	VMTAP_LOG=$directory/disk/log "$TOY" examples/toy/programs/queens.toy >/dev/null 2>"$directory/toy" ||
		fail "$room KiB: the toy's status is $?"
	[ ! -s "$directory/toy" ] || fail "$room KiB: the library has printed something"
	case $room in
	4) run 3 log "$directory/disk/log" && has err 'the log is empty' ;;
	16) # the header has room, the end has none
		run 0 log "$directory/disk/log"
		has out 'without an end marker'
		;;
	20)
		run 0 log "$directory/disk/log"
		has out '^  lost +[1-9]'
		has out '^  end +in order$'
		;;
	esac
done
umount "$directory/disk"
exit 0
