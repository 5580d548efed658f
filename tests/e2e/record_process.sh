#!/bin/bash
# record of processes that serve no event stream: the kernel's samples as a log. Whatever reads logs
# shows what the live verbs show: D's stacks, flame, log, export. Several processes in one log, what
# a command starts, a largest size, further files, compression, ^C, --seconds (of a VM as well).
# tests: src/cli/record/record_kernel.c src/cli/record/record_probes.c src/cli/record/record_display.c src/source/log_writer.c
# tests: src/source/eventlog/eventlog_processes.c src/source/eventlog/recorded_places.c
set -u
. tests/e2e/common
need_kernel
log=$directory/log

cat >"$directory/work.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

volatile unsigned long sum;
static __attribute__((noinline)) void much(void) { for (int i = 0; i < 9000000; i++) sum += (unsigned long)i; }
static __attribute__((noinline)) void little(void) { for (int i = 0; i < 2250000; i++) sum += (unsigned long)i; }
static void *helper(void *unused)
{
	pthread_setname_np(pthread_self(), "helper");
	for (;;)
		much();
	return unused;
}

/* Without a word it goes on until it is killed; a number says how often; one more: with reads. */
int main(int argc, char **argv)
{
	int zero = open("/dev/zero", O_RDONLY);
	static char bytes[1 << 20];
	pthread_t thread;

	if (argc > 1 && !atoi(argv[1]) && pthread_create(&thread, NULL, helper, NULL))
		abort();
	for (int i = 0; argc < 2 || !atoi(argv[1]) || i < atoi(argv[1]); i++) {
		much();
		little();
		/* of varying length, so that turns do not keep step with the samples */
		for (int j = 0; argc > 2 && j < i * 7 % 13 * 60; j++)
			if (read(zero, bytes, sizeof(bytes)) < 0)
				abort();
	}
}
C
$CC -O1 -pthread -o "$directory/work" "$directory/work.c" || fail "compiling"
share_of() { # file of folded lines, function: its percentage
	awk -v of="$2" '{ n = split($0, frames, ";"); sub(/ [0-9]+$/, "", frames[n]); all += $NF
		for (i = 1; i <= n; i++) if (frames[i] == of) { part += $NF; break } } END { printf "%d", all ? 100 * part / all : -1 }' "$1"
}
near() { # function: its shares of $directory/live and of $directory/recorded
	local live recorded
	live=$(share_of "$directory/live" "$1") recorded=$(share_of "$directory/recorded" "$1")
	[ $((live - recorded)) -le 12 ] && [ $((recorded - live)) -le 12 ] && [ "$live" -gt 0 ] ||
		fail "$1: $live% live, $recorded% in the log"
}
samples() { # of a log
	"$VMTAP" trace -q --log "$1" -n 'profile-97 { @n = count(); } END { printa("%@d\n", @n); }'
}

# the shares are those that flame shows at the same time
"$directory/work" 400 reads &
pid=$!
pids+=("$pid")
await "the program does not run" cmp -s "/proc/$pid/exe" "$directory/work"
"$VMTAP" flame --folded -p "$pid" -o "$directory/live" &
flame=$!
run 0 record -p "$pid" -o "$log"
wait "$flame" || fail "flame"
run 0 flame --folded "$log" -o "$directory/recorded"
for function in much little read main; do
	near "$function"
done
# a command to its end
run 0 record -o "$log" -- "$directory/work" 250 reads
sed -i '/ events, .* lost$/d' "$directory/err" # how far it has come: where it takes long
is_silent || fail "a recording says something"
run 0 flame --folded "$log" -o "$directory/recorded"
grep -qE '^_start;.*;main;read;.*_\[k\];.*_\[k\] [0-9]+$' "$directory/recorded" || fail "no kernel frames"
! grep -q '\+0x' "$directory/recorded" || fail "an offset in a name"
run 0 log "$log"
has out "^  program +$directory/work 250 reads$"
has out '^  end +in order$'
has out '^ +416 +[1-9][0-9]* +vm:::sample$'
run 0 log --validate "$log"
# D over the log: what the live kernel prints
run 0 trace -q --log "$log" -n 'profile-97 /arg1/ { @[ustack()] = count(); }'
has out '^ +work`much\+0x[0-9a-f]+$'
has out '^ +libc\.so\.6`(__libc_start_call_main\+)?0x[0-9a-f]+$' # only libc6-dbg has its name
run 0 trace -q --log "$log" -n 'profile-97 /arg0/ { @[stack(), ustack(1)] = count(); }'
has out '^ +vmlinux`vfs_read\+0x[0-9a-f]+$'
has out '^ +libc\.so\.6`(__)?read(@@.*)?\+0x[0-9a-f]+$'
run 0 trace -q --log "$log" -n 'profile-97 /arg1/ { @[usym(arg1)] = count(); @m[umod(arg1)] = count(); }'
[ "$(grep -c 'work`much ' "$directory/out")" = 1 ] || fail "not one row of a function"
has out '^ +work +[0-9]+$'
run 0 trace -q --log "$log" -n 'profile-97 { @[execname, tid == pid, curpsinfo->pr_psargs] = count(); }'
has out "^ +work +1 +$directory/work 250 reads +[0-9]+$"
run 0 trace -q --log "$log" -n 'profile-97 { @[jstack(2)] = count(); }'
has out '^ +much \(work`much\+0x[0-9a-f]+\)$'
run 0 trace -q --log "$log" -n 'vm*:::sample { @ = sum(arg2); } END { printa("%@d\n", @); }'
[ "$(cat "$directory/out")" = $(($(samples "$log") * 10309278)) ] || fail "the weights are not those of 97 a second"
# a timeline: calls that nest, in the order of time on each track
run 0 export "$log" -o "$directory/timeline.json"
if command -v python3 >/dev/null; then
	python3 - "$directory/timeline.json" <<'P' || fail "the timeline"
import json, sys
last, stacks, times = {}, {}, {}
for event in json.load(open(sys.argv[1]))["traceEvents"]:
    if event["ph"] == "M" and event["name"] == "thread_name" and "by samples" in event["args"]["name"]:
        track = event["tid"]
    if event["ph"] not in "BE":
        continue
    at, stack = event["ts"], stacks.setdefault(event["tid"], [])
    assert at >= last.get(event["tid"], 0), event
    if stack:
        times[stack[-1]] = times.get(stack[-1], 0) + at - last[event["tid"]]
    last[event["tid"]] = at
    if event["ph"] == "B":
        assert not stack or event["name"] != "much" or stack[-1] == "main", stack
        stack.append(event["name"])
    else:
        stack.pop()
assert not stacks[track] and times["much"] > times["little"] > 0, times
P
fi
# readers of GHC's logs
if command -v ghc-events >/dev/null; then
	ghc-events show "$log" >"$directory/out" 2>"$directory/err" || fail "ghc-events show"
	has out 'cap 0: vm:::sample\('
	is_silent || fail "ghc-events complains"
fi

# several processes: each by its number and name; their threads have names
"$directory/work" &
pid=$!
"$directory/work" 0 &
other=$!
pids+=("$pid" "$other")
run 0 record -p "$pid" -p "$other" --seconds 2 -o "$log"
run 0 trace -q --log "$log" -n 'profile-97 { @[pid, execname] = count(); }'
has out "^ +$pid +work +[1-9][0-9]*$"
has out "^ +$other +work +[1-9][0-9]*$"
run 0 trace -q --log "$log" -n 'vm*:::thread-label { printf("%d %s\n", pid, copyinstr(arg2)); }'
has out "^$other helper$"
run 0 flame --folded "$log" -o -
has out "^work \($pid\);_start;.*;main;much [0-9]+$"
has out "^work \($other\);.*;helper;much [0-9]+$"
run 0 record --follow -o "$log" -- sh -c "$directory/work 60; $directory/work 60; true"
run 0 flame --folded "$log" -o -
[ "$(grep -oE '^work \([0-9]+\)' "$directory/out" | sort -u | wc -l)" = 2 ] || fail "not both processes"
kill "$other"

# how it ends
run 0 record -p "$pid" --max-size 4k -o "$log"
has err "^vmtap: '$log' has reached its largest size: the recording is ended$"
[ "$(stat -c %s "$log")" -le 4096 ] || fail "too large a file"
run 0 log --validate "$log"
for signal in INT TERM HUP; do
	rm -f "$log"
	"$VMTAP" record -p "$pid" --compress -o "$log" 2>"$directory/err" &
	recorder=$!
	pids+=("$recorder")
	await "no recording" test -s "$log"
	await "no samples" sh -c "'$VMTAP' trace -q --log '$log' -n 'profile-97 { printf(\"sample\"); }' 2>/dev/null | grep -q sample"
	kill -"$signal" "$recorder"
	wait "$recorder" || fail "status $? after $signal"
	run 0 log "$log"
	has out '^  end +in order$'
done
"$VMTAP" record -p "$pid" --max-size 6k --rotate 2 -o "$log" &
recorder=$!
pids+=("$recorder")
await "no second file" test -s "$log.1"
kill -INT "$recorder"
wait "$recorder" || fail "status $? with further files"
run 0 log --validate "$log" # which may have begun with the last event
run 0 log --validate "$log.1"
run 0 trace -q --log "$log.1" -n 'profile-97 { @[pid, execname, ustack(1)] = count(); }'
has out "^ +$pid +work +$"
has out '^ +work`much\+0x[0-9a-f]+$'
"$directory/work" 40 &
short=$!
pids+=("$short")
run 0 record -p "$short" -o "$log"
run 0 log "$log"
has out '^  end +in order$'

# USDT probes: numbers, and texts where the contract of the provider has them; with stacks, with samples
cat >"$directory/probes.c" <<'C'
#include <sys/sdt.h>
#include <unistd.h>
static __attribute__((noinline)) void step(int i)
{
	static const char *names[] = {"alpha", "beta", "gamma"};
	DTRACE_PROBE3(demo, step, names[i % 3], i, -i);
	DTRACE_PROBE4(ruby, method__entry, "Class", names[i % 3], "file.rb", i);
}
int main(void)
{
	for (int i = 0;; i++) {
		step(i);
		usleep(1000);
	}
}
C
if $CC -O1 -o "$directory/probes" "$directory/probes.c" 2>/dev/null; then
	"$directory/probes" &
	fires=$!
	pids+=("$fires")
	await "the program does not run" cmp -s "/proc/$fires/exe" "$directory/probes"
	run 0 record -p "$fires" -n 'demo*:::step' -n 'ruby$target:::method-*' --seconds 1 -o "$log"
	sed -i '/ the events come faster than /d' "$directory/err" # on a busy machine
	is_silent || fail "a recording of probes says something"
	run 0 log --validate "$log"
	run 0 trace -q --log "$log" -n 'demo*:::step { @[arg1 + arg2, arg0 > 4095, pid, execname] = count(); }'
	has out "^ +0 +1 +$fires +probes +[1-9][0-9]*$"
	run 0 trace -q --log "$log" -n 'ruby*:::method-entry { @[copyinstr(arg0), copyinstr(arg1), copyinstr(arg2), arg3 > 0] = count(); }'
	for name in alpha beta gamma; do
		has out "^ +Class +$name +file\.rb +1 +[1-9][0-9]*$"
	done
	run 0 trace -q --log "$log" -n 'demo*:::step { self->i = arg1; } ruby*:::method-entry /self->i != arg3/ { @wrong = count(); } ruby*:::method-entry { @ = count(); }'
	has out '^ +[1-9][0-9]*$'
	[ "$(grep -c '[0-9]' "$directory/out")" = 1 ] || fail "events are not in order"
	run 0 trace -q --log "$log" -n 'demo*:::step { @[ustack(2)] = count(); }'
	has err 'no event of these probes has a stack, so ustack\( \) is empty: the log was recorded without --stacks$'
	run 0 record -p "$fires" -n 'demo*:::step' --stacks --seconds 1 -o "$log"
	run 0 trace -q --log "$log" -n 'demo*:::step { @[ustack(2)] = count(); }'
	has out '^ +probes`(step|main)\+0x[0-9a-f]+$'
	is_silent || fail "something is said of stacks that are there"
	run 3 record -p "$fires" -n 'syscall::clock_nanosleep:entry' -o "$log"
	has err '^vmtap: syscall::clock_nanosleep:entry cannot be recorded: only USDT probes of processes can$'
	"$VMTAP" record --max-size 20k --rotate 2 -p "$fires" -n 'ruby*:::method-entry' -o "$log" &
	recorder=$!
	pids+=("$recorder")
	rm -f "$log.1"
	await "no second file of probes" test -s "$log.1"
	kill -INT "$recorder"
	wait "$recorder" || fail "status $? with probes in further files"
	run 0 trace -q --log "$log.1" -n 'ruby*:::method-entry { @[copyinstr(arg0)] = count(); }'
	has out '^ +Class +[1-9][0-9]*$'
	kill "$fires"
else
	echo "left out: USDT probes: it needs sys/sdt.h"
fi

# what is not possible is said, and the file stays
echo precious >"$directory/kept"
for option in --lossless --wall --ghc-only --cpu-clock --heap-profile; do
	# shellcheck disable=SC2086
	run 2 record -p "$pid" $option -o "$directory/kept"
	has err "^vmtap record: $option is for a VM that serves an event stream"
done
run 1 record -p "$pid" -n 'vm*:::gc-start' -o "$directory/kept"
has err "probe description vm\*:::gc-start does not match any probes"
run 1 record -p "$pid" -n 'x:::y { exit(0); }' -o "$directory/kept"
has err 'only a probe description, perhaps with a predicate, and no action$'
if [ "$(id -u)" = 0 ] && [ "${VMTAP_SANITIZED:-0}" = 0 ] && setpriv --bounding-set=-all --inh-caps=-all true; then
	setpriv --bounding-set=-all --inh-caps=-all "$VMTAP" record -p "$pid" -o "$directory/kept" 2>"$directory/err" &&
		fail "samples without privilege"
	has err 'the kernel allows no BPF program'
else
	echo "left out: without privilege: it needs root, setpriv and a build without sanitizers"
fi
run 3 record -p 999999999 -o "$directory/kept"
has err 'process 999999999 does not exist'
[ "$(cat "$directory/kept")" = precious ] || fail "a file was lost for a recording that did not begin"
run 3 record -p "$pid" -o /nonexistent/log
[ "$(cat "$directory/err")" = "vmtap: /nonexistent/log: No such file or directory" ] || fail "the line of a file that cannot be"
kill -STOP "$pid"
run 0 record -p "$pid" --seconds 1 -o "$log"
has err '^vmtap: there are no samples: nothing of it has run on a processor'
run 0 log "$log"
has out "^  process +$pid$"

# a VM: its stream, for a time; or as any other process; not both
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
vm=$!
pids+=("$vm")
await_stream "$vm"
run 0 record -p "$vm" -p "$pid" --seconds 1 -o "$log"
has err '^vmtap: some of these processes serve an event stream and some do not: all are sampled by the kernel'
run 0 flame --folded "$log" -o -
has out ';main;.*interpret'
run 2 record -p "$vm" --follow -o "$log"
has err '^vmtap record: a log is of one event stream'
run 0 record -p "$vm" --samples --seconds 1 -o "$log"
run 0 flame --folded "$log" -o -
has out 'Worker.work [0-9]+$'
run 0 record -p "$vm" --via=kernel --seconds 1 -o "$log"
run 0 flame --folded "$log" -o -
has out ';main;.*interpret'
exit 0
