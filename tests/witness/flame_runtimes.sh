#!/bin/bash
# Pictures of Debian's runtimes and of a stripped program, beside perf's samples of the same seconds:
# the innermost functions have the same shares, the stacks of all but compiled Java reach the
# program's beginning, and what a runtime has to be asked for is said.
# tests: src/cli/flame/flame_trace.c src/cli/sample_notes.c
set -u
command -v perf >/dev/null || { echo "perf is not installed" && exit 77; }
. tests/e2e/common
need_kernel

cat >"$directory/work.py" <<'END'
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
while True:
    fib(20); sorted(range(20000)); "x,y,z" * 1000
END
cat >"$directory/work.php" <<'END'
<?php function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); }
while (true) { fib(18); $list = range(1, 5000); sort($list); md5(str_repeat("x", 100000)); }
END
cat >"$directory/work.rb" <<'END'
def fib(n) n < 2 ? n : fib(n - 1) + fib(n - 2) end
loop { fib(18); (1..5000).to_a.sort_by { |x| -x }; "abc" * 1000 }
END
cat >"$directory/work.js" <<'END'
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }
for (;;) { fib(22); const list = []; for (let i = 0; i < 5000; i++) list.push(i * 7919 % 5003);
	list.sort((x, y) => x - y); JSON.stringify(list) }
END
cat >"$directory/Work.java" <<'END'
public class Work {
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	public static void main(String[] words) {
		long sum = 0;
		while (true) {
			sum += fib(24);
			int[] list = new int[20000];
			for (int i = 0; i < list.length; i++) list[i] = i * 7919 % 20011;
			java.util.Arrays.sort(list);
			sum += list[3];
		}
	}
}
END
cat >"$directory/work.c" <<'END'
#include <stdlib.h>
volatile unsigned long sum;
static __attribute__((noinline)) void spins(int count) { for (int i = 0; i < count; i++) sum += (unsigned long)i; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	static int list[20000];
	for (;;) {
		for (int i = 0; i < 20000; i++)
			list[i] = i * 7919 % 20011;
		qsort(list, 20000, sizeof(list[0]), compare);
		spins(1000000);
	}
}
END
$CC -O2 -s -o "$directory/stripped" "$directory/work.c" || fail "compiling"

# Compares the innermost functions. A function that only one of them has a name for is left out: perf
# shows addresses where a file has no symbol. By chance alone, a share of 300 samples is wrong by 6
# points in one run of twenty.
cat >"$directory/compare.py" <<'PYTHON'
import collections, re, sys
perf = {}
for line in open(sys.argv[1], errors="replace"):
    found = re.match(r"\s*([\d.]+)%\s+\[(.)\]\s+(.*?)(?:\s+-)*\s*$", line)
    if found:
        perf[found[3] + ("_[k]" if found[2] == "k" else "")] = float(found[1])
own, begins, total = collections.Counter(), 0, 0
for line in open(sys.argv[2], errors="replace"):
    stack, weight = line.rsplit(" ", 1)
    frames, weight = [frame for frame in stack.split(";") if not frame.endswith("_[i]")], int(weight)
    own[frames[-1]] += weight
    total += weight
    begins += weight * any(re.match(r"_start$|__libc_start_main|\[libc\.so\.6\]$|__?_?clone|start_thread$", frame) for frame in frames[:3])
samples = total / 10309278
worst = max(((abs(share - 100 * own[name] / total), name, share, 100 * own[name] / total)
             for name, share in perf.items() if share >= 3 and own[name]), default=(0, "", 0, 0))
print("%d samples, %.1f %% reach the beginning, %d functions compared, worst %.1f points: %s %.1f %.1f" % (
    samples, 100 * begins / total, sum(share >= 3 and own[name] > 0 for name, share in perf.items()), *worst))
sys.exit(samples < 100 or worst[0] > 10 or 100 * begins / total < float(sys.argv[3]))
PYTHON

shows() { # name, the least share of stacks that reach the beginning, program and words
	local name=$1 least=$2 program
	shift 2
	[ -x "$1" ] || { echo "left out: $name: there is no $1" && return; }
	(cd "$directory" && exec "$@") >/dev/null 2>&1 &
	program=$!
	pids+=("$program")
	await "$name does not run" sh -c "[ \$(awk '{ print \$14 + \$15 }' /proc/$program/stat) -gt 100 ]"
	perf record -q -F 397 -o "$directory/perf" -p "$program" -- sleep 6 >/dev/null 2>&1 &
	run 0 flame --folded --seconds 6 -p "$program" -o "$directory/$name.folded"
	wait $!
	perf report -q -i "$directory/perf" --no-children --sort symbol --stdio >"$directory/shares" 2>/dev/null
	kill -KILL "$program"
	python3 "$directory/compare.py" "$directory/shares" "$directory/$name.folded" "$least" ||
		fail "$name: $(sort -rn "$directory/shares" | head -n 12)"
}
shows python 95 /usr/bin/python3 work.py
shows php 95 /usr/bin/php work.php
shows ruby 95 /usr/bin/ruby work.rb
shows stripped 95 "$directory/stripped"
grep -q ';\[stripped\] [0-9]*$' "$directory/stripped.folded" || fail "the stripped program is not one name"
shows node 95 /usr/bin/node --perf-basic-prof work.js
shows unnamed-node 95 /usr/bin/node work.js
[ ! -e "$directory/unnamed-node.folded" ] || has err 'node writes names with --perf-basic-prof'
java=/usr/lib/jvm/java-17-openjdk-amd64/bin/java
if [ -x "${java}c" ]; then
	"${java}c" -d "$directory" "$directory/Work.java" || fail "compiling"
	shows java 0 "$java" -cp . Work
	has err '-XX:\+PreserveFramePointer'
	shows java-with-frames 95 "$java" -XX:+PreserveFramePointer -cp . Work
else
	echo "left out: java: there is no ${java}c"
fi
exit 0
