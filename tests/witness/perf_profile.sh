#!/bin/bash
# perf's samples of a program and vmtap's of the same run agree: each function has the same share of
# them, as far as the number of samples allows, and of the stacks that lead to it.
set -u
command -v perf >/dev/null || { echo "perf is not installed" && exit 77; }
. tests/e2e/common
"$VMTAP" trace --via=kernel -l -p $$ >"$directory/out" 2>"$directory/err" </dev/null
! grep -q 'allows no BPF program' "$directory/err" || { echo "the kernel allows no BPF program" && exit 77; }

cat >"$directory/shares.c" <<'C'
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

volatile uint64_t sink;
#define APART __attribute__((noinline))
#define KEEP __asm__ volatile("")

APART void leaf(long count)
{
	for (long i = 0; i < count; i++)
		sink += (uint64_t)i;
}
APART void one(void) { leaf(20000); KEEP; }
APART void two(void) { leaf(40000); KEEP; }
APART void own(void)
{
	for (long i = 0; i < 20000; i++)
		sink ^= (uint64_t)i;
}

int main(int argc, char **argv)
{
	double end = atof(argv[argc - 1]);
	struct timespec time = {0};

	while ((double)time.tv_sec + (double)time.tv_nsec / 1e9 < end) {
		one();
		two();
		own();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	}
	return 0;
}
C
${CC:-gcc} -O1 -g -fomit-frame-pointer -o "$directory/shares" "$directory/shares.c" || fail "compiling"

# 97 samples a second of both at once, for 12 s of CPU time.
"$directory/shares" 12 &
target=$!
pids+=("$target")
perf record -q -F 97 -e cpu-clock --call-graph dwarf,4096 -p "$target" -o "$directory/perf.data" \
	2>"$directory/perf.err" &
perf=$!
run 0 trace -q -p "$target" -n 'profile-97 /pid == $target/ { @[ustack()] = count(); }'
wait "$perf"
perf script -i "$directory/perf.data" -F comm,ip,sym 2>/dev/null >"$directory/theirs"
[ -s "$directory/theirs" ] || { echo "perf has no samples: $(head -n 1 "$directory/perf.err")" && exit 77; }

cat >"$directory/compare.py" <<'P'
import math
import re
import sys

def theirs(lines):
    stack = []
    for line in lines:
        if re.match(r"\S", line):
            continue
        if line.strip():
            stack.append(line.split()[1].split("+")[0])
        elif stack:
            yield stack, 1
            stack = []
    if stack:
        yield stack, 1

def ours(lines):
    stack = []
    for line in lines:
        line = line.strip()
        if re.fullmatch(r"\d+", line):
            if stack:
                yield stack, int(line)
            stack = []
        elif line:
            stack.append(line.split("`")[-1].split("+")[0])

def shares(stacks):
    counts, total = {}, 0
    for stack, count in stacks:
        path = "/".join(name for name in reversed(stack) if name in ("main", "one", "two", "own", "leaf"))
        counts[path] = counts.get(path, 0) + count
        total += count
    return counts, total

their_counts, their_total = shares(theirs(open(sys.argv[1])))
our_counts, our_total = shares(ours(open(sys.argv[2])))
if min(their_total, our_total) < 300:
    sys.exit(f"only {their_total} and {our_total} samples")
wrong = 0
for path in sorted(set(their_counts) | set(our_counts)):
    one, other = our_counts.get(path, 0) / our_total, their_counts.get(path, 0) / their_total
    both = (our_counts.get(path, 0) + their_counts.get(path, 0)) / (our_total + their_total)
    # four standard deviations of the difference of two shares, and a sample of each
    bound = 4 * math.sqrt(both * (1 - both) * (1 / our_total + 1 / their_total)) + 1 / our_total + 1 / their_total
    print(f"{path}: vmtap {one:.3f}, perf {other:.3f}, bound {bound:.3f}")
    wrong += abs(one - other) > bound
for path, least in (("main/one/leaf", 0.15), ("main/two/leaf", 0.35), ("main/own", 0.15)):
    if our_counts.get(path, 0) / our_total < least:
        sys.exit(f"{path} is missing")
sys.exit(wrong and "the shares differ")
P
python3 "$directory/compare.py" "$directory/theirs" "$directory/out" >"$directory/shares.txt" 2>&1 ||
	fail "$(cat "$directory/shares.txt")"
sed 's/^/# /' "$directory/shares.txt"

# arg1 lies in the functions whose addresses the program's symbols say.
run 0 trace -q -c "$directory/shares 2" -n 'profile-997 /pid == $target && arg1/
	{ @[ufunc(arg1)] = count(); @pc[arg1] = count(); } END { printa(@); printa("pc %x %@d\n", @pc); }'
cat >"$directory/addresses.py" <<'P'
import re
import subprocess
import sys

places = []
for line in subprocess.run(["nm", "-S", "--defined-only", sys.argv[1]], capture_output=True, text=True).stdout.splitlines():
    words = line.split()
    if len(words) == 4 and words[3] in ("leaf", "one", "two", "own", "main"):
        places.append((int(words[0], 16), int(words[1], 16)))
inside = total = 0
for line in open(sys.argv[2]):
    found = re.match(r"pc ([0-9a-f]+) (\d+)$", line)
    if found:
        offset, count = int(found.group(1), 16) & 0xfff, int(found.group(2))
        total += count
        inside += count * any((begin & 0xfff) <= offset < (begin & 0xfff) + size for begin, size in places)
if total < 500 or inside < 0.95 * total:
    sys.exit(f"{inside} of {total} samples are in the program's functions")
P
python3 "$directory/addresses.py" "$directory/shares" "$directory/out" || fail "addresses"
exit 0
