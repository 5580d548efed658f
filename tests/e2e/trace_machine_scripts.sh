#!/bin/bash
# The bundled scripts that show what the whole machine does, against what a program with a name of its
# own counts and measures itself.
set -u
. tests/e2e/common
need_kernel

# WORK FILE: prints what it does as lines NAME VALUE, after it has taken its name.
cat >"$directory/work.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { CALLS = 300, READS = 200, READ_BYTES = 64, EMPTY = 10, OPENS = 7, MISSING = 5, NAPS = 5, NAP_MS = 20 };
enum { THREADS = 4, SPIN_MS = 150, BLOCK = 4096 };

static pthread_barrier_t barrier;

static long long now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static void *spin(void *argument)
{
	pthread_barrier_wait(&barrier);
	while (now(CLOCK_THREAD_CPUTIME_ID) < SPIN_MS * 1000000ll)
		;
	return argument;
}

/* All threads on one processor. */
static int queue(void)
{
	pthread_t threads[THREADS];
	cpu_set_t set;
	int cpu = 0;

	sched_getaffinity(0, sizeof(set), &set);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, spin, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("processor %d\n", cpu);
	return 0;
}

/* Reads each block of the file from the device. */
static int blocks(const char *path)
{
	int file = open(path, O_RDONLY | O_DIRECT), count = 0;
	void *block;

	if (file < 0 || posix_memalign(&block, BLOCK, BLOCK))
		return 1;
	while (pread(file, block, BLOCK, (off_t)count * BLOCK) == BLOCK)
		count++;
	printf("blocks %d\n", count);
	return 0;
}

int main(int argc, char **argv)
{
	struct timespec nap = {0, NAP_MS * 1000000};
	char buffer[READ_BYTES];
	long long slept;
	int zero, null;

	prctl(PR_SET_NAME, "vmtap-work");
	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "queue"))
		return queue();
	if (!strcmp(argv[1], "blocks"))
		return blocks(argv[2]);
	zero = open("/dev/zero", O_RDONLY);
	null = open("/dev/null", O_RDONLY);
	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < READS; i++)
		if (syscall(SYS_read, zero, buffer, READ_BYTES) != READ_BYTES)
			return 1;
	for (int i = 0; i < EMPTY; i++)
		if (syscall(SYS_read, null, buffer, READ_BYTES))
			return 1;
	syscall(SYS_read, -1, buffer, READ_BYTES);
	for (int i = 0; i < OPENS; i++)
		close(open(argv[2], O_RDONLY));
	for (int i = 0; i < MISSING; i++)
		open("/nonexistent/vmtap-work", O_RDONLY); /* in a page that nobody has read */
	slept = now(CLOCK_MONOTONIC);
	for (int i = 0; i < NAPS; i++)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
	slept = now(CLOCK_MONOTONIC) - slept;
	printf("slept %lld\n", slept / 1000);
	return 0;
}
C
$CC -O1 -pthread -o "$directory/work" "$directory/work.c" 2>"$directory/err" || fail "compiling"
head -c 131072 /dev/zero >"$directory/file"
sync "$directory/file"
work="$directory/work all $directory/file"

# Runs a script while the program works; its lines about the program are in $directory/table.
script() { # name, command, arguments
	local name=$1 command=$2
	shift 2
	rm -f "$directory/all"
	run 0 trace "$name" -o "$directory/all" -c "$command" "$@"
	has_not err 'drop|error'
	# of a command, only what it does itself; a few lines are of vmtap's process that becomes it
	case $name in
	run_queue | io_latency) ;;
	*) awk 'NF > 2 && $1 !~ /^[0-9]/ && /  / { print $1 }' "$directory/all" | grep -vxE 'PROGRAM|TIME|vmtap|work|vmtap-work' |
		grep -q . && { cat "$directory/all" && fail "$name shows other programs"; } ;;
	esac
	grep -E '^ *vmtap-work ' "$directory/all" | sed -E 's/ +/ /g' >"$directory/table"
}
shows() { # a line of the table
	grep -qxF "vmtap-work $1" "$directory/table" || { cat "$directory/table" && fail "no line 'vmtap-work $1'"; }
}

script syscalls_by_program "$work"
shows 'getppid 300'
shows 'clock_nanosleep 5'
shows 'read 211'
shows 'openat 14'

script bytes_by_program "$work"
shows '12800 210 60'

script opens_by_file "$work"
shows "$directory/file 0 7"
shows '/nonexistent/vmtap-work 2 5'
shows '/dev/zero 0 1'

# Sleeping takes at least as long as was asked for, and no longer than the program has seen.
script syscall_time "$work" us
slept=$(sed -n 's/^slept //p' "$directory/out")
read -r time calls mean longest < <(sed -n 's/^vmtap-work clock_nanosleep //p' "$directory/table")
[ "$calls" = 5 ] && [ "$time" -ge 100000 ] && [ "$time" -le "$slept" ] && [ "$mean" -ge 20000 ] &&
	[ "$mean" -le "$longest" ] && [ "$longest" -le "$time" ] || fail "5 naps in $slept us: $time $calls $mean $longest"
shows_calls() { # call, how often
	[ "$(sed -n "s/^vmtap-work $1 [0-9]* \([0-9]*\) .*/\1/p" "$directory/table")" = "$2" ] || fail "$1"
}
shows_calls getppid 300
shows_calls read 211

# A nap is a time off the processor, a little shorter than the call; in the call, the thread may have
# to wait for the processor, too.
script off_cpu_by_stack "$work" us
slept=$(sed -n 's/^slept //p' "$directory/out")
read -r times off < <(awk '/^ +[0-9]+ +[0-9]+ / { time = $1; times = $2; mine = $3 == "vmtap-work" }
	mine && /nanosleep/ { sum += time; count += times; mine = 0 } END { print count + 0, sum + 0 }' "$directory/all")
[ "$times" -ge 5 ] && [ "$off" -ge 95000 ] && [ "$off" -le "$slept" ] || fail "5 naps in $slept us: $times times, $off us"
grep -A1 ' vmtap-work$' "$directory/all" | grep -q '`__schedule' || fail "a stack that begins elsewhere"

# Four threads want one processor for at least 600 ms.
script run_queue "$directory/work queue -"
processor=$(sed -n 's/^processor //p' "$directory/out")
samples=$(awk -v title="processor $processor," 'index($0, "processor ") == 1 { mine = index($0, title) == 1 }
	mine && $1 ~ /^[0-9]+$/ && $1 >= 4 { count += $NF } END { print count + 0 }' "$directory/all")
[ "$samples" -ge 20 ] || { cat "$directory/all" && fail "$samples samples of a queue of 4"; }

# Requests of 4,096 bytes: at least the program's, and no more than the device has counted. Kernels do
# not report all completions: bpftrace counts fewer of them than of requests, too.
device=$(stat -c '%Hd:%Ld' "$directory/file")
name=$(basename "$(readlink -f "/sys/dev/block/$device")")
if [ -r "/sys/block/$name/stat" ] && "$directory/work" blocks "$directory/file" >/dev/null; then
	before=$(awk '{ print $1 }' "/sys/block/$name/stat")
	script io_latency "$directory/work blocks $directory/file" us
	after=$(awk '{ print $1 }' "/sys/block/$name/stat")
	wanted=$(sed -n 's/^blocks //p' "$directory/out")
	[ "$wanted" -ge 32 ] || fail "$wanted blocks"
	for title in "$name R, bytes" "$name R, time in us"; do
		[ "$title" = "$name R, bytes" ] || wanted=$((wanted / 2))
		read -r count exact < <(awk -v title="$title" '/^[^ ].*,/ { mine = index($0, title) == 1 }
			mine && $1 ~ /^[0-9]+$/ { count += $NF; if ($1 == 4096) exact = $NF }
			END { print count + 0, exact + 0 }' "$directory/all")
		[ "$count" -ge "$wanted" ] && [ "$count" -le $((after - before)) ] ||
			{ cat "$directory/all" && fail "$title: $count of $wanted to $((after - before))"; }
		[ "$title" = "$name R, time in us" ] || [ "$exact" -ge "$wanted" ] || fail "$exact of 4,096 bytes"
	done
fi

# Until it is interrupted.
rm -f "$directory/all"
"$VMTAP" trace syscalls_by_program -n 'tick-10ms /!told/ { told = 1; printf("tracing\n"); }' -o "$directory/all" \
	2>"$directory/err" </dev/null &
tracer=$!
pids+=("$tracer")
await "no tick" grep -q tracing "$directory/all"
$work >/dev/null
kill -INT "$tracer"
wait "$tracer" || fail "interrupted: $?"
grep -qE '^vmtap-work +getppid +300$' "$directory/all" || fail "$(cat "$directory/all")"

# Without privilege: one line.
if [ "$(id -u)" = 0 ] && setpriv --reuid 65534 --clear-groups test -x "$VMTAP"; then
	for name in syscalls_by_program run_queue; do
		setpriv --reuid 65534 --regid 65534 --clear-groups "$VMTAP" trace $name -c true \
			>"$directory/out" 2>"$directory/err" </dev/null && fail "$name is allowed"
		[ "$(wc -l <"$directory/err")" = 1 ] || fail "$name: not one line"
		has err 'CAP_|root|privilege'
	done
else
	echo "left out: without privilege: only root can give it up, and setpriv does it, and the build is open to others"
fi
exit 0
