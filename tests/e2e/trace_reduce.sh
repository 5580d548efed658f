#!/bin/bash
# Clauses that BPF programs carry out themselves print what the engine prints when it carries out
# the same clauses on records of the same events.
# tests: src/kernel/reduce/reduce.c src/kernel/translate/translate_aggregate.c
set -u
. tests/e2e/common

need_kernel
$CC -O2 -o "$directory/target" tests/tools/usdt_target.c -pthread || fail "compiling"
$CC -O2 -o "$directory/faults" tests/tools/usdt_faults.c -pthread || fail "compiling"
queens="$TOY examples/toy/programs/queens.toy"

# Runs the command with the script, both ways; what is printed is left in reduced and recorded.
# The number of aggregating instructions that programs carry out must be as given.
both() { # instructions, command, script, options
	local wanted=$1 command=$2 script=$3 number
	shift 3
	rm -f "$directory/reduced" "$directory/recorded"
	VMTAP_DEBUG=kernel run 0 trace --via=kernel -q "$@" -c "$command" -o "$directory/reduced" -n "$script"
	number=$(sed -n 's/.* \([0-9]*\) instructions that aggregate are carried out.*/\1/p' "$directory/err")
	[ "$number" = "$wanted" ] || fail "$script: $number instructions are carried out, expected $wanted"
	! grep -q 'nothing is reduced' "$directory/err" || fail "$script: the kernel refuses it"
	grep -v '^vmtap: kernel:' "$directory/err" | sed 's/[0-9]*:toy/:toy/' >"$directory/reduced.err"
	run 0 trace --via=kernel -q -x reduce=no "$@" -c "$command" -o "$directory/recorded" -n "$script"
	sed 's/[0-9]*:toy/:toy/' "$directory/err" >"$directory/recorded.err"
}

same() {
	both "$@"
	diff "$directory/reduced" "$directory/recorded" >"$directory/out" ||
		fail "$3: other results when records are made"
	diff "$directory/reduced.err" "$directory/recorded.err" >"$directory/out" ||
		fail "$3: other messages when records are made"
}

# What the VM counts itself.
same 1 "$queens" 'vm$target:::method-entry { @ = count(); }'
grep -qE '^ *8501$' "$directory/reduced" || fail "not all events are counted"

# What a stream delivers stays the engine's, also if the kernel is asked for the rest.
run 0 trace -Z -q -c "$queens" -n 'vm$target:::method-entry { @[probename] = count(); } none*:::such { @other = count(); }'
has out '^ +method-entry +8501$'

# Every aggregating function, negative numbers, several clauses and keys of all kinds.
while IFS= read -r line; do
	same "${line%%|*}" "$queens" "${line#*|}"
done <<'SCRIPTS'
5|vm$target:::method-entry { @s = sum(arg3); @a = avg(arg3); @b[probefunc, probename] = min(arg3); @c[arg3 % 7] = max(-arg3); @d["x"] = stddev(arg3 * 1000000000); }
4|vm$target:::method-entry /arg3 > 40/ { @a = count(); @b = lquantize(arg3, 0, 100, 5); @c = llquantize(arg3, 10, 0, 3, 20); @e = quantize(arg3 - 40, arg3); }
4|vm$target:::method-entry { @q[copyinstr(arg1)] = quantize(40 - arg3); @l = lquantize(-arg3, -45, -38); @m = llquantize(-arg3 * 100, 10, 1, 4, 5, -2); @z = quantize(arg3 << 58); }
1|vm$target:::method-entry { @[copyinstr(arg0), copyinstr(arg1), arg3] = quantize(arg3); }
1|vm$target:::method-entry { @[(int8_t)arg3 - 40, (uint16_t)-arg3, pid == $target, cpu >= 0] = count(); }
1|vm$target::: { @[probename] = count(); }
3|vm$target:::method-entry { if (arg3 > 40) { @a = count(); } else { @b = sum(arg3); } this->x = arg3; @c = max(this->x); }
2|vm$target:::method-entry { @[arg3] = count(); @b[arg3] = sum(arg3); } END { printa("%d %@d %@d\n", @, @b); trunc(@, 2); normalize(@b, 3); printa(@); printa(@b); clear(@b); printa(@b); }
1|vm$target:::method-entry { @[arg3 / (arg3 - 40)] = count(); }
2|vm$target:::method-entry /arg3 == 38/ { @[arg3 / (arg3 - 38)] = count(); @b = count(); } ERROR { @e[arg4, arg5] = count(); }
1|vm$target:::method-entry { @[copyinstr(arg3)] = count(); }
1|vm$target:::method-entry { @[arg3 % 2 ? copyinstr(arg3) : copyinstr(arg3 + 1)] = count(); } vm$target:::method-return { @b = count(); }
1|vm$target:::method-entry { self->ts = arg3; } vm$target:::method-return /self->ts/ { @[copyinstr(arg1)] = avg(self->ts); self->ts = 0; }
1|vm$target:::method-entry { ts[tid] = arg3; } vm$target:::method-return { @[ts[tid]] = count(); ts[tid] = 0; }
1|vm$target:::method-entry { self->d[arg3]++; @[self->d[arg3] % 10] = count(); }
1|vm$target:::method-entry { @a[arg3] = count(); } vm$target:::method-return { @b = count(); printa(@b); }
1|vm$target:::method-entry /copyinstr(arg1) == "solve" || copyinstr(arg1) == "init"/ { @a = count(); }
1|vm$target:::method-entry /copyinstr(arg1) < "solve"/ { @a[copyinstr(arg1)] = count(); }
2|vm$target:::method-entry { @[execname, copyinstr(arg1), uid, gid, arg3] = count(); } vm$target:::method-return /execname == "toy" && execname != "t"/ { @b[execname] = count(); }
1|vm$target:::method-entry { @[copyinstr(arg0, 2), copyinstr(arg1, arg3 - 36)] = count(); }
0|vm$target:::method-entry /copyinstr(arg1) == "solutions"/ { printf("%d\n", arg3); }
0|vm$target:::method-entry { @ = count(); } vm$target:::method-return /++n == 100/ { exit(0); }
SCRIPTS
same 1 "$queens" 'vm$target:::method-entry { @[copyinstr(arg1)] = count(); }' -x aggsortrev -x strsize=3

# An address that an earlier event left behind.
run 0 trace --via=kernel -q -c "$queens" -o "$directory/kept" -n 'vm$target:::method-entry { self->name = arg1; }
	vm$target:::method-return { @[copyinstr(self->name)] = count(); }'
grep -qE '^  set +[0-9]+$' "$directory/kept" || fail "memory at an address that was kept"

# Without records for events that no clause wants.
VMTAP_DEBUG=kernel run 0 trace --via=kernel -q -c "$queens" \
	-n 'vm$target:::method-entry /copyinstr(arg1) == "nosuch" || arg3 == 0/ { trace(arg3); }'
has err ': 0 bytes of records'

# Many keys at once; none is lost.
same 2 "$directory/target 30000" 'sample$target:::number { @[arg0] = count(); @q[arg0 / 10] = quantize(arg0); }
	END { printa("%d %@d\n", @); }'

# What ticks print, clear and truncate is everything in the end. The seconds between make it pass
# several rounds.
both 5 "$directory/target 50000" 'sample$target:::number { @[arg0] = count(); @m[arg0] = max(arg0);
	@c = count(); @n = min(arg1); @s[arg0 % 3] = sum(arg0); }
	tick-10ms { printa("count %d %@d\n", @); printa("max %d %@d\n", @m); printa("all %@d\n", @c);
	printa("sum %d %@d\n", @s); trunc(@); trunc(@m); clear(@c); clear(@n); trunc(@s, 1); clear(@s); }
	END { printa("count %d %@d\n", @); printa("max %d %@d\n", @m); printa("all %@d\n", @c);
	printa("sum %d %@d\n", @s); trunc(@); trunc(@m); trunc(@c); trunc(@n); trunc(@s); }'
sums() {
	awk '$1 == "count" { count += $3 } $1 == "max" && $2 == $3 { keys[$2] = 1 } $1 == "all" { all += $2 }
		$1 == "sum" { sum += $3 } END { for (key in keys) n++; print count, n, all, sum }' "$1"
}
[ "$(sums "$directory/reduced")" = "50000 50000 50000 1250025000" ] ||
	fail "over the ticks: $(sums "$directory/reduced")"

# A full table: every update is made, or counted as DTrace says.
run 0 trace --via=kernel -q -x aggsize=4k -c "$directory/target 5000" -o "$directory/full" \
	-n 'sample$target:::number { @[arg0] = count(); } END { printa("%@d\n", @); trunc(@); }'
made=$(grep -c '^1$' "$directory/full")
lost=$(sed -n 's/^dtrace: \([0-9]*\) aggregation drops* on CPU [0-9]*$/\1/p' "$directory/err" | awk '{ sum += $1 } END { print sum }')
[ $((made + lost)) = 5000 ] && [ "$made" -gt 20 ] || fail "a full table: $made made, $lost lost"

# Programs that wait for pages in the middle, on one processor: no update is lost.
for ((i = 0; i < 64; i++)); do
	printf 'key%d' $((i % 4))
	head -c 4092 /dev/zero
done >"$directory/cold"
run 0 trace --via=kernel -q -c "$directory/faults $directory/cold 8 20" -o "$directory/waiting" \
	-n 'faults$target:::key { @k[copyinstr(arg0)] = count(); @s = sum(arg1); @a = min(arg1); @z = max(arg1);
	@d = stddev(arg1); @q = quantize(arg1); self->n++; @n[tid] = max(self->n); @t[tid] = count(); }
	END { printa("%s %@d\n", @k); printa("%@d ", @s); printa("%@d ", @a); printa("%@d ", @z);
	printa("%@d\n", @d); printa("%@d\n", @n); printa("thread %@d\n", @t);
	trunc(@t); trunc(@k); trunc(@s); trunc(@a); trunc(@z); trunc(@d);
	trunc(@n); }'
[ "$(grep -cE '^key[0-3] 2560$' "$directory/waiting")" = 4 ] || fail "updates by string: $(cat "$directory/waiting")"
grep -q '^322560 0 63 19$' "$directory/waiting" || fail "sums: $(cat "$directory/waiting")"
[ "$(grep -c '^1280$' "$directory/waiting")" = 8 ] || fail "by thread: $(cat "$directory/waiting")"
# what a program knew before it waited is its own thread's, too
[ "$(grep -c '^thread 1280$' "$directory/waiting")" = 8 ] || fail "by tid: $(cat "$directory/waiting")"
exit 0
