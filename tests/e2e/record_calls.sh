#!/bin/bash
# The calls of a process with USDT probes of its language, recorded by the kernel: the scripts for
# methods, flame and export read from the log what they show of the process itself. Texts are read at
# their addresses, whether or not they end with a NUL; the addresses are those of the process. Several
# processes in a log, predicates, and a line of advice that is followed word for word.
# tests: src/cli/record/record_probes.c src/source/eventlog/eventlog_calls.c src/source/eventlog/eventlog_memory.c src/source/log_writer.c
set -u
. tests/e2e/common
need_kernel
log=$directory/log

# the calls that a log gives to flame and export are those that the scripts' parts read
sed -n 's/^\t{"\([a-z]*\)", "\([a-z]*-entry\)", "method-entry".*/\1 \2/p' src/source/eventlog/eventlog_calls.c | sort >"$directory/rows"
sed -n 's/^\([a-zA-Z]*\)\$target:::\([a-z]*-entry\)$/\1 \2/p' probes/scripts/parts/calls.d | grep -v '^vm ' | sort >"$directory/parts"
[ -s "$directory/parts" ] && diff "$directory/parts" "$directory/rows" || fail "eventlog_calls.c does not know the probes of calls.d"

cat >"$directory/calls.c" <<'C'
#include <pthread.h>
#include <string.h>
#include <sys/sdt.h>
#include <sys/wait.h>
#include <unistd.h>

static char provider;

/* HotSpot's texts do not end with a NUL. */
static const char packed[] = "pkg/Classmeth()V";

static __attribute__((noinline)) void enter(const char *class, const char *method, int line)
{
	switch (provider) {
	case 'p':
		DTRACE_PROBE3(python, line, "/some/folder/module.py", method, line);
		DTRACE_PROBE3(python, function__entry, "/some/folder/module.py", method, line);
		break;
	case 'h':
		DTRACE_PROBE7(hotspot, method__entry, 7L, packed, 9, packed + 9, *method == 'o' ? 4 : 3, packed + 13, 3);
		break;
	case 'z':
		DTRACE_PROBE5(php, function__entry, method, "/some/file.php", line, class, "::");
		break;
	default:
		DTRACE_PROBE4(ruby, method__entry, class, method, "/some/file.rb", line);
	}
}

static __attribute__((noinline)) void leave(const char *class, const char *method, int line)
{
	switch (provider) {
	case 'p':
		DTRACE_PROBE3(python, function__return, "/some/folder/module.py", method, line);
		break;
	case 'h':
		DTRACE_PROBE7(hotspot, method__return, 7L, packed, 9, packed + 9, *method == 'o' ? 4 : 3, packed + 13, 3);
		break;
	case 'z':
		DTRACE_PROBE5(php, function__return, method, "/some/file.php", line, class, "::");
		break;
	default:
		DTRACE_PROBE4(ruby, method__return, class, method, "/some/file.rb", line);
	}
}

static int inner(int n)
{
	int result;

	enter("", "inner", n);
	result = n ? inner(n - 1) + 1 : 0;
	leave("", "inner", n);
	return result;
}

static void *outer(void *unused)
{
	for (int i = 0; i < 20; i++) {
		enter("Class", "outer", 30);
		inner(i % 3);
		leave("Class", "outer", 30);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	provider = *argv[1];
	if (argc > 2 && !fork()) {
		outer(NULL);
		_exit(0);
	}
	outer(NULL);
	pthread_create(&thread, NULL, outer, NULL);
	pthread_join(thread, NULL);
	wait(NULL);
}
C
if ! $CC -O1 -pthread -o "$directory/calls" "$directory/calls.c" 2>/dev/null; then
	echo "it needs sys/sdt.h"
	exit 77
fi

while read -r provider names word; do
	run 0 record -n "$provider*:::$names-entry,$provider*:::$names-return" -o "$log" -c "$directory/calls $word"
	is_silent || fail "$provider: a recording says something"
	run 0 log --validate "$log"
	for script in method_count call_log; do
		run 0 trace "$script" -c "$directory/calls $word"
		cp "$directory/out" "$directory/live"
		run 0 trace "$script" --log "$log"
		is_silent || fail "$provider: $script over the log says something"
		[ $script = method_count ] || for file in live out; do # without times and threads
			sed -E -i 's/^ *[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+ //' "$directory/$file"
			sed -i 's/^[ 0-9]* \([-=<]\)/\1/' "$directory/$file"
		done
		diff "$directory/live" "$directory/out" || fail "$provider: $script"
	done
	for option in --folded --by=calls; do
		[ $option = --folded ] || option="--folded --by calls"
		# shellcheck disable=SC2086
		run 0 flame --exact $option -o "$directory/live" -c "$directory/calls $word"
		# shellcheck disable=SC2086
		run 0 flame $option -o "$directory/lines" "$log"
		sed -i "/ of this time is the probes' own /d" "$directory/err"
		is_silent || fail "$provider: flame of the log says something"
		[ "$option" = --folded ] && sed -i 's/ [0-9]*$//' "$directory/live" "$directory/lines"
		diff "$directory/live" "$directory/lines" || fail "$provider: flame $option"
	done
	[ "$provider" != hotspot ] || grep -q '^pkg\.Class#meth ' "$directory/lines" || fail "a class of the JVM has slashes"
	run 0 export -o "$directory/timeline.json" "$log"
	calls=$(awk '{ all += $NF } END { print all }' "$directory/lines")
	[ "$(grep -o '"ph":"B"' "$directory/timeline.json" | wc -l)" = "$calls" ] || fail "$provider: the timeline"
	# what method_time prints adds up to what flame draws
	run 0 trace method_time --log "$log"
	exclusive=$(awk '$NF ~ /%$/ { all += $(NF - 3) } END { print all }' "$directory/out")
	run 0 flame --folded -o "$directory/lines" "$log"
	[ "$(awk '{ all += $NF } END { print all }' "$directory/lines")" = "$exclusive" ] || fail "$provider: the times"
done <<'END'
python function python
php function zend
hotspot method hotspot
ruby method ruby
END

# arguments: numbers, addresses and texts are those of the process; what was not there faults alike
cat >"$directory/script.d" <<'D'
#pragma D option quiet
hotspot*:::method-entry
{
	@[arg0, arg2, arg3 - arg1, stringof(copyin(arg1, arg2)), stringof(copyin(arg3, arg4)),
	    stringof(copyin(arg5, arg6))] = count();
	@short[stringof(copyin(arg1 + 4, 2))] = count();
}
D
run 0 record -n 'hotspot*:::method-entry' -o "$log" -c "$directory/calls hotspot"
run 0 trace -s "$directory/script.d" -c "$directory/calls hotspot"
cp "$directory/out" "$directory/live"
has out '^ +7 +9 +9 +pkg/Class +meth +\(\)V +'
run 0 trace -s "$directory/script.d" --log "$log"
diff "$directory/live" "$directory/out" || fail "counted texts"
run 0 record -n 'php*:::function-entry' -o "$log" -c "$directory/calls zend"
run 0 trace -q --log "$log" -n 'php*:::function-entry { @[copyinstr(arg3), copyinstr(arg4 + 1), arg2 > 4] = count(); } php*:::function-entry /arg2 == 30/ { @wrong = sum(*(int *)copyin(1, 4)); }'
has out '^ +: +0 +[1-9]'
has out '^ +Class +: +1 +40$'
[ "$(grep -c 'invalid address (0x1) ' "$directory/err")" = 40 ] || fail "not as many faults as live"

# the object and the function of a probe, and the command line of a process that has ended
for script in 'php*::enter:function-entry { @[probemod, probefunc, curpsinfo->pr_psargs] = count(); }' \
	'php*:calls:leave: { @[probemod, probefunc, probename] = count(); }' \
	'php*:::function-entry { copyinstr(0); }'; do
	run 0 record -n 'php*:::' -o "$log" -c "$directory/calls zend"
	run 0 trace -q -n "$script" -c "$directory/calls zend"
	sed -E 's/php[0-9]+/php/; s/ID [0-9]+/ID/' "$directory/out" "$directory/err" >"$directory/live"
	run 0 trace -q -n "$script" --log "$log"
	sed -E 's/php[0-9]+/php/; s/ID [0-9]+/ID/' "$directory/out" "$directory/err" >"$directory/lines"
	grep -q '[a-z]' "$directory/live" && diff "$directory/live" "$directory/lines" || fail "over the log: $script"
done

# predicates, and a probe that is only enabled
run 0 record -n 'php*:::function-entry / arg2 == 30 && copyinstr(arg0) != "inner" /' -n 'php*:::function-return /0/ { }' -o "$log" -c "$directory/calls zend"
run 0 trace -q --log "$log" -n 'php*:::function-entry { @[copyinstr(arg0)] = count(); }'
[ "$(awk 'NF { print $1, $2 }' "$directory/out")" = "outer 40" ] || fail "a predicate"
run 1 trace -q --log "$log" -n 'php*:::function-return { trace(1); }'
has err 'does not match any probes'
for text in 'php*:::function-entry { trace(1); }' 'php*:::function-entry /1' 'php*:::function-entry //' 'php*:::function-entry; x' 'php*:::function-entry /1/ { } php*:::x'; do
	run 1 record -n "$text" -o "$log" -c "$directory/calls zend"
	has err 'only a probe description, perhaps with a predicate, and no action$'
done

# what is wrong with a description is named where it is, also if the command has ended meanwhile
run 1 record -n 'php*:::nosuch' -o "$log" -c "$directory/calls zend"
has err '^dtrace: invalid probe specifier php\*:::nosuch: probe description php\*:::nosuch does not match any probes, column 1, '
run 1 record -n 'php*:::function-entry /wrong/ { }' -o "$log" -c "$directory/calls zend"
has err 'failed to resolve wrong: Unknown variable name, column 24, '

# several processes: each below its own frame, and their threads do not mix
run 0 record --follow -n 'php*:::function-*' -o "$log" -c "$directory/calls zend forks"
run 0 flame --by calls --folded -o "$directory/lines" "$log"
sed -E 's/^calls \([0-9]+\);//' "$directory/lines" | LC_ALL=C sort >"$directory/both"
[ "$(grep -oE '^calls \([0-9]+\)' "$directory/lines" | sort -u | wc -l)" = 2 ] || fail "not two processes"
awk '{ calls[$1] += $2 } END { exit !(calls["Class#outer"] == 60 && calls["Class#outer;inner"] == 60) }' "$directory/both" ||
	fail "the calls of two processes"
run 0 trace -q --log "$log" -n 'php*:::function-entry { @[execname, copyinstr(arg0)] = count(); }'
has out '^ +calls +outer +60$'

# in a process that runs, the end of a call can be told before its beginning: otherwise a call that
# ended meanwhile would last for ever
cat >"$directory/order.c" <<'C'
#define _SDT_HAS_SEMAPHORES 1
#include <stdio.h>
#include <sys/sdt.h>
volatile unsigned short order_work__entry_semaphore __attribute__((section(".probes")));
volatile unsigned short order_work__return_semaphore __attribute__((section(".probes")));
int main(void)
{
	unsigned entry, end;

	puts("runs");
	fflush(stdout);
	do {
		entry = order_work__entry_semaphore;
		end = order_work__return_semaphore;
	} while (!entry && !end);
	printf("%s\n", end ? "end" : "beginning");
	fflush(stdout);
	for (;;) {
		DTRACE_PROBE(order, work__entry);
		DTRACE_PROBE(order, work__return);
	}
}
C
$CC -O1 -o "$directory/order" "$directory/order.c" || fail "compiling"
"$directory/order" >"$directory/first" &
pid=$!
pids+=("$pid")
await "the program does not run" grep -q runs "$directory/first"
run 0 trace -q -p "$pid" -n 'order$target:::work-entry { @ = count(); } order$target:::work-return { exit(0); }'
await "no guard is raised" grep -qE 'end|beginning' "$directory/first"
grep -q end "$directory/first" || fail "the beginning is told first"
kill "$pid"

# Python 3.11 fires function-entry for functions only while lines are traced; record's advice says how
cp "$directory/calls" "$directory/python3.11"
run 0 record -n 'python*:::function-entry' -o "$log" -c "$directory/python3.11 python"
has err "add: -n 'python\*:::line /0/ \{ \}'$"
advice=$(sed -n "s/.*add: -n '\(.*\)'$/\1/p" "$directory/err")
run 0 record -n 'python*:::function-entry' -n "$advice" -o "$log" -c "$directory/python3.11 python"
is_silent || fail "the advice does not help"
run 0 trace -q --log "$log" -n 'python*:::function-entry { @ = count(); } END { printa("%@d\n", @); }'
[ "$(cat "$directory/out")" = "$calls" ] || fail "not as many calls with the advice"
exit 0
