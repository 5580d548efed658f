#!/bin/bash
# Every pair of event sources in one script, without a target, by -p, by -c and by --follow, counts
# what a program does. A trace without a target goes on until it is asked to end; one of processes
# ends with them.
# tests: src/source/merge.c src/targets/machine_parts.c
set -u
. tests/e2e/common
need_kernel

program=$directory/pairs$$ # traces of all processes know it by its name
$CC -O1 ${VMTAP_SANITIZED:+-fsanitize=address,undefined} -I"$BUILD/include" -Iinclude -o "$program" tests/e2e/trace_pairs.c "$BUILD/libvmtap.a" -pthread -ldl ||
	fail "compiling"
head -c 32768 /dev/zero >"$directory/file"
place=$(python3 - "$directory/file" <<'P'
# The first sector of the file and the one after its last, if its blocks are in a row on a whole disk.
import array, fcntl, os, sys
with open(sys.argv[1], "r+b") as file:
    os.fsync(file.fileno())
    places = array.array("B", bytes(88))
    places[8:16] = array.array("B", b"\xff" * 8)
    places[16] = places[24] = 1  # FIEMAP_FLAG_SYNC; one extent
    try:
        fcntl.ioctl(file, 0xC020660B, places)  # FS_IOC_FIEMAP
    except OSError:
        sys.exit()
    status = os.fstat(file.fileno())
device = "/sys/dev/block/%d:%d" % (os.major(status.st_dev), os.minor(status.st_dev))
first, length = (int.from_bytes(places[at:at + 8], "little") // 512 for at in (40, 48))
if places[20] and first and length * 512 >= status.st_size and os.path.exists(device) and \
        not os.path.exists(device + "/partition"):
    print(first, first + length)
P
)
# Where programs at functions are allowed, the kernel's own is found by its name.
function=__do_sys_getpgrp
"$VMTAP" trace -q -n "fbt::$function:entry { } tick-1ms { exit(0); }" >"$directory/out" 2>"$directory/err" ||
	function=
read -r first end <<<"$place"
# The search for leaks would be a process more, and yield the processor.
export ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
python3 tests/e2e/trace_pairs.py "$VMTAP" "$program" "$directory/file" "$function" "${first:-}" "${end:-}"
