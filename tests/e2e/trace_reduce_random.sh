#!/bin/bash
# Scripts made at random print the same, faults included, whether BPF programs carry out their
# clauses or the engine does. SCRIPTS: how many; SEED: from which on.
# tests: src/kernel/reduce
set -u
. tests/e2e/common

need_kernel
python3 tests/e2e/reduce_scripts.py "${SEED:-1}" "${SCRIPTS:-10}" >"$directory/scripts" || fail "no scripts"
total=0
while IFS= read -r script; do
	for reduce in yes no; do
		rm -f "$directory/$reduce"
		VMTAP_DEBUG=kernel run 0 trace --via=kernel -q -x reduce=$reduce -o "$directory/$reduce" \
			-c "$TOY examples/toy/programs/queens.toy" -n "$script"
		! grep -q 'nothing is reduced' "$directory/err" || fail "$script: the kernel refuses it"
		grep -v '^vmtap: kernel:' "$directory/err" | sed 's/[0-9]*:toy/:toy/' | sort >"$directory/$reduce.err"
		[ $reduce = no ] || total=$((total + $(sed -n 's/.* \([0-9]*\) instructions that.*/\1/p' "$directory/err")))
	done
	cmp -s "$directory/yes" "$directory/no" && cmp -s "$directory/yes.err" "$directory/no.err" ||
		fail "other results: $script"
done <"$directory/scripts"

# With stacks and times, all programs pass the kernel's check.
python3 tests/e2e/reduce_scripts.py "${SEED:-1}" "${SCRIPTS:-10}" varied >"$directory/scripts" || fail "no scripts"
grep -q 'ustack()' "$directory/scripts" && grep -q vtimestamp "$directory/scripts" || fail "scripts without stacks"
while IFS= read -r script; do
	VMTAP_DEBUG=kernel run 0 trace --via=kernel -q -o "$directory/varied" \
		-c "$TOY examples/toy/programs/queens.toy" -n "$script"
	! grep -q 'nothing is reduced' "$directory/err" || fail "$script: the kernel refuses it"
done <"$directory/scripts"
[ "$total" -gt 20 ] || fail "only $total instructions are carried out by programs"
exit 0
