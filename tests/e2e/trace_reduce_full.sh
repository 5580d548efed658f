#!/bin/bash
# Aggregations with more keys and strings than programs in the kernel have room for: what finds no
# room there is sent to the engine, so nothing is dropped, and the results are those of -x reduce=no,
# also if the aggregations are shown and emptied meanwhile.
# tests: src/kernel/reduce/tally.c src/kernel/translate/string_numbers.c
set -u
. tests/e2e/common

need_kernel
LOT=70000 # more strings than programs have room for
$CC -O2 -o "$directory/target" tests/tools/usdt_target.c -pthread || fail "compiling"
echo >"$directory/line"
printf '#!/bin/sh\nexec "%s" texts "$1" <"%s" >/dev/null\n' "$directory/target" "$directory/line" >"$directory/fire"
chmod +x "$directory/fire"

# Traces the script both ways; what is printed is left in yes and no, in order.
both() { # strings, provider, script, further options
	local count=$1 provider=$2 script=$3
	shift 3
	for reduce in yes no; do
		rm -f "$directory/$reduce"
		VMTAP_DEBUG=kernel run 0 trace --via=kernel -q -x strsize=24 -x aggsize=64m -x bufsize=64m \
			-x reduce=$reduce -o "$directory/$reduce.raw" -n "${script//PROVIDER/$provider}" "$@" \
			-c "$directory/fire $count"
		[ $reduce = no ] || ! grep -q 'nothing is reduced' "$directory/err" || fail "$script: the kernel refuses it"
		[ $reduce = no ] || grep -qE ' [1-9][0-9]* instructions that aggregate are' "$directory/err" || fail "$script: nothing is reduced"
		has_not err 'drop'
		# An aggregation that was shown several times: the sums by key
		awk '/^=/ { key = $1; for (i = 2; i < NF; i++) key = key " " $i; sum[key] += $NF; next } /./ { print }
			END { for (key in sum) print key, sum[key] }' "$directory/$reduce.raw" | sort >"$directory/$reduce"
		rm "$directory/$reduce.raw"
	done
	[ -s "$directory/no" ] || fail "$script: nothing is printed"
	diff "$directory/yes" "$directory/no" >"$directory/out" || {
		head -20 "$directory/out" >"$directory/err"; : >"$directory/out"; fail "$script: other results"; }
}

both $LOT 'sample*' 'PROVIDER:::text { @all = count(); @[copyinstr(arg0), copyinstr(arg0, 4)] = count(); }
	END { printa("= %s %s %@d\n", @); printa("all %@d\n", @all); }'
both $LOT 'sample$target' 'PROVIDER:::text { @all = count(); @[copyinstr(arg0), copyinstr(arg0, 4)] = count(); }
	tick-100ms { printa("= %s %s %@d\n", @); trunc(@); }
	END { printa("= %s %s %@d\n", @); printa("all %@d\n", @all); }'
both 20000 'sample*' 'PROVIDER:::text { @[copyinstr(arg0), arg1] = sum(arg1); }
	tick-100ms { printa("= %s %d %@d\n", @); clear(@); }
	END { printa("= %s %d %@d\n", @); }'
# Several functions and aggregations share the strings; some aggregations are emptied, others not.
both 40000 'sample*' 'PROVIDER:::text {
		@s[copyinstr(arg0), copyinstr(arg0, 5)] = sum(arg1);
		@c[copyinstr(arg0), "x", copyinstr(arg0)] = count();
		@q[copyinstr(arg0, 6), copyinstr(arg0, 7)] = quantize(arg1);
		@a[copyinstr(arg0, 6), copyinstr(arg0, 7)] = avg(arg1);
		@d[copyinstr(arg0, 6), copyinstr(arg0, 7)] = stddev(arg1);
		@m[copyinstr(arg0), copyinstr(arg0, 4)] = min(arg1);
		@n[copyinstr(arg0, 8), execname, copyinstr(arg0, 9)] = max(arg1); }
	tick-100ms { printa("=c %s %s %s %@d\n", @c); trunc(@c); }
	END { printa("=c %s %s %s %@d\n", @c); printa("s %s %s %@d\n", @s); printa("m %s %s %@d\n", @m);
		printa("n %s %s %s %@d\n", @n); printa("a %s %s %@d\n", @a); printa("d %s %s %@d\n", @d);
		printa("q %s %s %@d\n", @q); trunc(@c); trunc(@s); trunc(@m); trunc(@n); trunc(@a); trunc(@d); trunc(@q); }'
# A key that has a stack besides. The ring has room for all records of -x reduce=no.
both 20000 'sample$target' 'PROVIDER:::text { @[ustack(2), copyinstr(arg0), copyinstr(arg0, 5), copyinstr(arg0, 6)] = count(); }
	tick-100ms { printa("%k= %s %s %s %@d\n", @); trunc(@); }
	END { printa("%k= %s %s %s %@d\n", @); }' -x bufsize=256m
# Numbers alone, more than there is room for.
both 30000 'sample*' 'PROVIDER:::text { self->n++; @[arg1, self->n] = count(); @max[self->n % 7] = max(self->n); @min[self->n % 9] = min(-self->n); }
	tick-100ms { printa("= %d %d %@d\n", @); trunc(@); }
	END { printa("= %d %d %@d\n", @); printa("max %d %@d\n", @max); printa("min %d %@d\n", @min); }'
exit 0
