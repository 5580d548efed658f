#!/bin/bash
# Eight threads fire one probe as fast as they can: no value is wrong, the events of each thread are
# in order, and each event is delivered or counted as lost. Several tracers of one site each get all
# of it, and the end of one, however it comes, takes nothing from the others.
# tests: src/kernel/bpf/ring_buffer.c src/kernel/capture/ring_records.c
set -u
. tests/e2e/common

need_kernel
storm=$BUILD/tests/tools/usdt_storm
count=60000

# Each event is delivered to a clause that the kernel cannot carry out.
cat >"$directory/storm.d" <<'END'
BEGIN { events = 0; wrong = 0; disorder = 0; seen[(uint64_t)0] = (uint64_t)0; }
storm$target:::hit
{
	events++;
	wrong += arg2 != arg0 * 1000003 + arg1 * arg1;
	disorder += arg1 <= seen[arg0];
	seen[arg0] = arg1;
}
END { printf("%d %d %d\n", events, wrong, disorder); }
END
run 0 trace -q -c "$storm 8 $count" -s "$directory/storm.d"
read -r events wrong disorder <"$directory/out"
lost=$(grep -oE '[0-9]+ drops' "$directory/err" | awk '{ sum += $1 } END { print sum + 0 }')
[ "$wrong" = 0 ] || fail "$wrong events have wrong values"
[ "$disorder" = 0 ] || fail "$disorder events are not in their thread's order"
[ $((events + lost)) = $((8 * count)) ] || fail "$events events, $lost lost of $((8 * count))"

# Records of all sizes, through a small buffer, so that many cross its end: each is whole, or lost.
cat >"$directory/sizes.c" <<'C'
#include <string.h>
#include <sys/sdt.h>
int main(void)
{
	static char text[1024];

	for (int i = 1; i <= 20000; i++) {
		int length = i * 37 % 1000;

		memset(text, 'a' + i % 26, (size_t)length);
		text[length] = 0;
		DTRACE_PROBE3(sizes, text, text, length, i);
	}
	return 0;
}
C
$CC -O2 -o "$directory/sizes" "$directory/sizes.c" || fail "compiling"
run 0 trace -q -x strsize=1024 -x bufsize=256k -c "$directory/sizes" -n 'BEGIN { wrong = 0; events = 0; last = 0; }
	sizes$target:::text { this->s = copyinstr(arg0); events++; wrong += strlen(this->s) != arg1 || arg2 <= last;
	wrong += arg1 && (this->s[0] != 97 + arg2 % 26 || this->s[arg1 / 2] != this->s[0] || this->s[arg1 - 1] != this->s[0]);
	last = arg2; } END { printf("%d %d\n", events, wrong); }'
read -r events wrong <"$directory/out"
lost=$(grep -oE '[0-9]+ drops?' "$directory/err" | awk '{ sum += $1 } END { print sum + 0 }')
[ "$wrong" = 0 ] || fail "$wrong of $events records are wrong"
[ $((events + lost)) = 20000 ] && [ "$events" -gt 100 ] || fail "$events records, $lost lost of 20000"

# Aggregations lose nothing.
run 0 trace -q -c "$storm 8 $count" -n 'storm$target:::hit { @n[arg0] = count(); @s[arg0] = sum(arg1);
	@c[arg0] = sum(arg2 - arg0 * 1000003 - arg1 * arg1); @m[arg0] = max(arg1); }
	END { printa("%d %@d %@d %@d %@d\n", @n, @s, @c, @m); }'
for ((i = 1; i <= 8; i++)); do
	echo "$i $count $((count * (count + 1) / 2)) 0 $count"
done >"$directory/expected"
grep . "$directory/out" | sort -n | diff "$directory/expected" - >"$directory/err" || fail "aggregations of a storm"

# Three tracers of one site. One is killed amid the storm; one is stopped and loses events.
mkfifo "$directory/in"
"$storm" 4 $count wait <"$directory/in" >"$directory/ready" &
target=$!
pids+=("$target")
exec 3>"$directory/in"
await "the target is not ready" grep -q ready "$directory/ready"
tracer() { # name, clauses
	"$VMTAP" trace -q -p $target -o "$directory/$1" 2>"$directory/$1.err" \
		-n "BEGIN { told = 0; } tick-1ms /!told/ { told = 1; printf(\"attached\n\"); } $2" 3>&- &
	started=$!
	pids+=("$started")
	await "tracer $1 does not attach" grep -q attached "$directory/$1"
}
tracer records 'storm$target:::hit { events++; } BEGIN { events = 0; } END { printf("%d\n", events); }'
records=$started
tracer counts 'storm$target:::hit { @ = count(); } END { printa("%@d\n", @); }'
counts=$started
tracer killed 'storm$target:::hit /arg1 == 1000/ { printf("amid\n"); }'
killed=$started
kill -STOP "$records" # its buffer runs over
echo go >&3
exec 3>&-
await "the storm does not come" grep -q amid "$directory/killed"
kill -9 "$killed"
wait "$killed" 2>/dev/null
wait "$target" || fail "the target: status $?"
kill -CONT "$records"
wait "$records" || fail "the tracer that gets records: $(cat "$directory/records.err")"
wait "$counts" || fail "the tracer that counts: $(cat "$directory/counts.err")"
lost=$(grep -oE '[0-9]+ drops' "$directory/records.err" | awk '{ sum += $1 } END { print sum + 0 }')
[ $(($(grep -E '^[0-9]+$' "$directory/records") + lost)) = $((4 * count)) ] || fail "$(cat "$directory/records"), $lost lost"
[ "$lost" -gt 0 ] || fail "nothing is lost, though nobody read"
grep -qx $((4 * count)) "$directory/counts" || fail "counted $(cat "$directory/counts")"
exit 0
