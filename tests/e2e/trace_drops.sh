#!/bin/bash
# By default the VM does not wait: what a tracer has received and what it says was dropped is
# together what the VM counted, exactly. The rings are full at times here, since the tracer of
# each event has much to do.
set -eu
for program in examples/toy/programs/{richards,binary_trees,pipeline}.toy; do
	rm -f "$TMPDIR"/*
	"$VMTAP" trace -q -o "$TMPDIR/out" -c "$TOY --caps=2 --stats=json $program" \
		-n 'vm$target::: { @[probename] = count(); }' >/dev/null 2>"$TMPDIR/errors" ||
		{ echo "$program: status $?"; cat "$TMPDIR/errors"; exit 1; }
	python3 tests/e2e/witness.py counts "$TMPDIR/errors" "$TMPDIR/out" "$TMPDIR/errors" ||
		{ echo "$program"; exit 1; }
done
