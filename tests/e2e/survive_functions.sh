#!/bin/bash
# The survival rig knows each function that the command and the libraries call: it makes it fail, or
# lists it as one that cannot fail. The check itself finds a function that is in neither list.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python3 "$root/tests/survive/run" --functions "$BUILD/vmtap" "$BUILD/libvmtap.so"

mkdir "$TMPDIR/survive"
sed '/^FAULT(close,/d' "$root/tests/survive/fault_table.h" >"$TMPDIR/survive/fault_table.h"
cp "$root/tests/survive/run" "$TMPDIR/survive/"
said=$(python3 "$TMPDIR/survive/run" --functions "$BUILD/vmtap" 2>&1) && exit 1
[ "$said" = "fault_table.h lacks: close" ]
