#!/bin/bash
# Each bug of tests/survive/planted_bugs can still be planted in a copy of the sources, and compiles;
# a script that changes nothing any more is reported by its bug's name. Whether the rig finds the
# bugs is shown by make survive-planted.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
python3 "$root/tests/survive/planted" --apply

mkdir "$TMPDIR/survive"
cp "$root/tests/survive/planted" "$TMPDIR/survive/"
sed 's/ring_arm/ring_that_is_gone/' "$root/tests/survive/planted_bugs" >"$TMPDIR/survive/planted_bugs"
said=$(python3 "$TMPDIR/survive/planted" --apply 2>&1) && exit 1
[[ $said == "rings-not-armed: cannot be planted in src/shim/core/ring.c any more"* ]]
