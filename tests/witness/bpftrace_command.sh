#!/bin/bash
# bpftrace starts the toy VM itself (-c) and so sees everything from the first instruction
# on: counts, strings and sums of every probe, including startup, agree with the VM's own.
set -u
. tests/witness/bpftrace
need_bpftrace

program=examples/toy/programs/wordcount.toy
cp "$TOY" "$TMPDIR/toy"
python3 $compare script "$TMPDIR/toy" >"$TMPDIR/all.bt"
timeout "${COMMAND_SECONDS:-300}" bpftrace -f json -o "$TMPDIR/seen" \
	-c "$TMPDIR/toy --caps=2 --stats=json --event-log=$TMPDIR/log $program" \
	"$TMPDIR/all.bt" >/dev/null 2>"$TMPDIR/stats"
if ! python3 $compare compare "$TMPDIR/seen" "$TMPDIR/stats" "$TMPDIR/log" >"$TMPDIR/result"; then
	cat "$TMPDIR/result"
	grep -v '^{' "$TMPDIR/stats"
	exit 1
fi
if ! grep -qw startup "$TMPDIR/result"; then
	echo "startup has not been seen"
	exit 1
fi
echo "$program: $(wc -w <"$TMPDIR/result") probes agree"
