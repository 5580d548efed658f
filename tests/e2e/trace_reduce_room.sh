#!/bin/bash
# Aggregations share the room of option aggsize. One with many keys does not take it from those that
# have few, also where programs in the kernel aggregate: what has no room is dropped and counted.
# tests: src/kernel/translate/aggregation_update.c
set -u
. tests/e2e/common
need_kernel

cat >"$directory/calls.c" <<'C'
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	for (long i = 0; i < 4000; i++)
		syscall(SYS_getpgid, -1 - i, i);
	return 0;
}
C
$CC -o "$directory/calls" "$directory/calls.c" || fail "compiling"
for reduce in yes no; do
	run 0 trace -q -x reduce=$reduce -x aggsize=64k -n 'syscall::getpgid:entry /pid == $target/
		{ @many[arg0, arg1] = count(); @all = count(); @greatest[execname] = max(arg1); }
		END { printa("all %@d\n", @all); printa("greatest %s %@d\n", @greatest); printa("key %@d\n", @many); }' \
		-c "$directory/calls"
	has out '^all 4000$'
	has out '^greatest calls 3999$'
	kept=$(grep -c '^key 1$' "$directory/out")
	dropped=$(sed -n 's/^dtrace: \([0-9]*\) aggregation drops.*/\1/p' "$directory/err" | awk '{ sum += $1 } END { print sum + 0 }')
	[ "$dropped" -gt 0 ] && [ $((kept + dropped)) = 4000 ] || fail "reduce=$reduce: $kept keys are kept, $dropped updates dropped"
done
exit 0
