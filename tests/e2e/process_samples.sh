#!/bin/bash
# flame and top of processes that serve no event stream: by the kernel's samples of their stacks, for
# one pid, several, a command, and what it starts; a stripped program; kernel frames after the user's;
# what is not possible is said, with what is. VMs by the same options are shown by their own samples.
# tests: src/cli/flame/flame_trace.c src/cli/process_script.c src/targets/target_streams.c
set -u
. tests/e2e/common
need_kernel

cat >"$directory/work.c" <<'C'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

volatile unsigned long sum;
static __attribute__((noinline)) void much(void) { for (int i = 0; i < 9000000; i++) sum += (unsigned long)i; }
static __attribute__((noinline)) void little(void) { for (int i = 0; i < 1000000; i++) sum += (unsigned long)i; }
static __attribute__((noinline)) void reads(int zero)
{
	static char bytes[1 << 20];

	for (int i = 0; i < 200; i++)
		if (read(zero, bytes, sizeof(bytes)) < 0)
			abort();
}

/* Without a word it goes on until it is killed, and leaves other tests most of the processor; a number
 * says how often. */
int main(int argc, char **argv)
{
	int zero = open("/dev/zero", O_RDONLY);

	for (int i = 0; argc < 2 || i < atoi(argv[1]); i++) {
		much();
		little();
		if (argc > 2)
			reads(zero);
		if (argc < 2)
			usleep(50000);
	}
}
C
$CC -O1 -o "$directory/work" "$directory/work.c" && $CC -O1 -s -o "$directory/bare" "$directory/work.c" || fail "compiling"
samples_of() { # function: its share of $directory/out, in ms
	awk -v of="$1" '{ n = split($0, frames, ";"); sub(/ [0-9]+$/, "", frames[n])
		for (i = 1; i <= n; i++) if (frames[i] == of) { all += $NF; break } } END { printf "%d", all / 1e6 }' "$directory/out"
}
more() { # a function, another one that has less
	[ "$(samples_of "$1")" -gt "$(samples_of "$2")" ] || fail "$1 is not more than $2"
}

"$directory/work" &
pid=$!
"$directory/work" &
other=$!
pids+=("$pid" "$other")
# one process, as an operand and as an option
for target in "$pid" "-p $pid"; do
	run 0 flame --folded --seconds 2 $target -o -
	has out '^_start;.*;main;much [0-9]+$'
	more much little
	has_not out '\+0x'
	has_not out '@'
done
run 0 flame --seconds 1 "$pid" -o "$directory/graph.svg"
grep -qE ">CPU time by samples: work \($pid\)<" "$directory/graph.svg" || fail "the title"
grep -qE '>[0-9.]+ m?s in [1-9][0-9]* samples, 97 a second<' "$directory/graph.svg" || fail "the number of samples"
grep -qE '>recorded 20[0-9-]+ [0-9:]+ [+-][0-9]+<' "$directory/graph.svg" || fail "when it was"
run 0 flame --pprof --seconds 1 -p "$pid" -o "$directory/profile"
gzip -dc "$directory/profile" | grep -q much || fail "no function in the profile"
# several: the process is the outermost frame
run 0 flame --folded --seconds 1 -p "$pid" -p "$other" -o -
has out "^work \($pid\);_start;.*;main;much [0-9]+$"
has out "^work \($other\);_start;.*;main;much [0-9]+$"
# a command to its end, and what a command starts
run 0 flame --folded -c "$directory/work 40" -o -
has out '^_start;.*;main;much [0-9]+$'
run 0 flame --folded --follow -o - -- sh -c "$directory/work 40; $directory/work 40"
[ "$(grep -oE '^work \([0-9]+\)' "$directory/out" | sort -u | wc -l)" = 2 ] || fail "not both processes"
# the kernel's frames are part of the function that called it; a file without symbols is one name
run 0 flame --folded -c "$directory/work 20 reads" -o -
has out '^_start;.*;main;reads;.*_\[k\];.*_\[k\] [0-9]+$'
run 0 flame --folded -c "$directory/bare 40" -o -
has out '^\[bare\];.*;\[bare\] [0-9]+$'

# the same as a table
run 0 top --count 2 --interval 700 -p "$pid"
has out "^$pid work: CPU [0-9.]+ %, threads 1$"
has out '^ +[0-9.]+ +[0-9.]+  much$'
# what has no time of its own is no row, unless the time with callees is what counts; a process's line
# has what its rows add up to
has_not out '^ +0\.0 '
awk -v pid="$pid" '$1 == pid && $3 == "CPU" { if (NR > 1) exit; cpu = $4 } /^ +[0-9]/ { rows += $1; n++ }
	END { exit !(n && cpu > 0 && rows > cpu - 0.1 * n - 0.1 && rows < cpu + 0.1) }' "$directory/out" ||
	fail "the rows do not add up to the line of the process"
run 0 top --count 1 --interval 700 --sort total -p "$pid"
has out '^ +0\.0 +[0-9.]+  main$'
# one that has ended is not shown any longer
run 0 top --plain --interval 300 --follow -- sh -c "$directory/work 40; while :; do :; done & sleep 2; kill \$!"
awk '/ work: CPU/ { work = 1 } /^$/ { tables++; if (work) seen = tables; work = 0 }
	END { exit !(seen && seen < tables) }' "$directory/out" || fail "a process that has ended is in each table"
run 0 top --count 1 --interval 700 -p "$pid" -p "$other"
has out "^ +$other +[0-9.]+ +[0-9.]+  much$"
run 0 top --count 1 --interval 700 -c "$directory/work 400"
has out ' much$'
run 0 top --via=kernel --count 1 --interval 700 -c "$directory/work 400"
has out ' much$'

# what is not possible
run 2 flame --by calls "$pid" -o -
has err '^vmtap flame: --by calls needs every call'
run 2 flame --wall "$pid" -o -
has err '^vmtap flame: --wall: the kernel samples what runs'
run 2 flame -p 3,4 -o -
has err "^vmtap flame: '3,4' is not a pid$"
kill -STOP "$other"
run 3 flame --seconds 1 "$other" -o -
has err "^vmtap: work \($other\): no samples: nothing of it has run on a processor"
run 0 top --count 1 --interval 300 -p "$other"
has err '^vmtap: no samples: nothing of it has run on a processor$'
kill -CONT "$other"
run 2 flame "$pid" "$directory/work" -o -
has err '^vmtap flame: one log at a time'
run 3 flame 999999999 -o -
has err 'process 999999999 does not exist'
if [ "$(id -u)" = 0 ] && [ "${VMTAP_SANITIZED:-0}" = 0 ] && setpriv --bounding-set=-all --inh-caps=-all true; then
	setpriv --bounding-set=-all --inh-caps=-all "$VMTAP" flame "$pid" -o "$directory/none" 2>"$directory/err" &&
		fail "samples without privilege"
	has err 'the kernel allows no BPF program'
	[ ! -e "$directory/none" ] || fail "a picture of nothing"
else
	echo "left out: without privilege: it needs root, setpriv and a build without sanitizers"
fi
gone=$(sh -c 'echo $$') # it has ended
run 3 flame "$gone" -o -

# a VM: its methods by its own samples; by the kernel the functions that interpret them
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
vm=$!
pids+=("$vm")
await_stream "$vm"
run 0 flame --folded --seconds 1 -p "$vm" -p "$pid" -o -
has err '^vmtap: some of these processes serve an event stream and some do not: all are sampled by the kernel'
has out "^toy \\($vm\\);.*;main;.*interpret"
run 2 flame --wall -p "$vm" -p "$pid" -o -
has err '^vmtap flame: --wall: the kernel samples what runs'
run 0 flame --folded --seconds 1 --via=kernel -p "$vm" -o -
has out '^(\[unknown\];)?_start;.*;main;.*interpret'
run 0 flame --folded --samples --seconds 1 -p "$vm" -o -
has out '^\(file\);.*Worker#work [0-9]+$'
run 0 flame --folded -c "$TOY examples/toy/programs/richards.toy" -o -
has out '^\(file\);Scheduler#run;Task#run'
run 0 flame --folded --lossless --follow --via=stream -o - -- sh -c "$TOY examples/toy/programs/richards.toy; true"
has out '^toy \([0-9]+\);\(file\);Scheduler#run;Task#run'
run 0 top --via=kernel --count 1 --interval 700 -p "$vm"
has out "^$vm toy: CPU [0-9.]+ %, threads [0-9]+$"
exit 0
