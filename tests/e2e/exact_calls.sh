#!/bin/bash
# vmtap flame --exact and top --exact of processes that have USDT probes of their calls and serve no
# event stream: the calls are exactly those that the program counts, by stacks; recursion, calls that
# never return, threads that end within a call, several processes, functions without a class; and what
# is said of processes that have no such probes. The program has them as PHP has, by a header of vmtap
# generate.
# tests: src/cli/flame/exact_calls.c src/cli/flame/flame_trace.c src/usdt/process/call_probes.c src/cli/what_works.c
set -u
. tests/e2e/common
need_kernel

# the probes that are looked for are those that the scripts' parts read
sed -n 's/^\([a-zA-Z]*\)\$target:::\([a-z]*-entry\)$/\1 \2/p' probes/scripts/parts/calls.d >"$directory/parts"
sed -n 's/^\t{"\([a-zA-Z]*\)", "\([a-z]*-entry\)"},$/\1 \2/p' src/usdt/process/call_probes.c >"$directory/rows"
[ -s "$directory/parts" ] && diff "$directory/parts" "$directory/rows" || fail "call_probes.c does not know the probes of calls.d"

cat >"$directory/php.d" <<'D'
provider php {
	/*
	 * A call.
	 * @function [name] its name
	 * @file [name] the file
	 * @line the line
	 * @class [name] its class
	 * @scope [name] how they are joined
	 */
	probe function__entry(char *function, char *file, int line, char *class, char *scope);
	/*
	 * Its end.
	 * @function [name] its name
	 * @file [name] the file
	 * @line the line
	 * @class [name] its class
	 * @scope [name] how they are joined
	 */
	probe function__return(char *function, char *file, int line, char *class, char *scope);
};
D
cat >"$directory/language.c" <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "php_probes.h"

#define ONCE(text) VMTAP_NAME_ONCE(text, strlen(text))

static void enter(const char *class, const char *name)
{
	PHP_FUNCTION_ENTRY(ONCE(name), ONCE("file"), 1, ONCE(class), ONCE(*class ? "::" : ""));
}

static void leave(const char *class, const char *name)
{
	PHP_FUNCTION_RETURN(ONCE(name), ONCE("file"), 1, ONCE(class), ONCE(*class ? "::" : ""));
}

static int fib(int n)
{
	int result;

	enter("", "fib");
	result = n < 2 ? n : fib(n - 1) + fib(n - 2);
	leave("", "fib");
	return result;
}

static jmp_buf caught;

static void fails(int depth)
{
	enter("Work", "fails");
	if (!depth)
		longjmp(caught, 1);
	fails(depth - 1);
	leave("Work", "fails");
}

static void outer(void)
{
	enter("Work.class", "outer");
	fib(5);
	if (!setjmp(caught))
		fails(2);
	leave("Work.class", "outer");
}

/* A thread that ends within a call. */
static void *thread(void *name)
{
	enter("Thread", name);
	enter("Thread", "deep");
	leave("Thread", "deep");
	if (!strcmp(name, "ends"))
		leave("Thread", name);
	return NULL;
}

/* With a file, it waits until that exists. */
int main(int argc, char **argv)
{
	const char *const names[] = {"stays", "ends", "stays"};
	pthread_t number;

	if (argc > 2) /* a number: many calls that do nothing */
		return !fib(atoi(argv[2]));
	while (argc > 1 && access(argv[1], F_OK))
		usleep(1000);
	enter("", "main");
	for (int i = 0; i < 10; i++)
		outer();
	for (int i = 0; i < 3; i++) {
		pthread_create(&number, NULL, thread, (void *)names[i]);
		pthread_join(number, NULL);
	}
	enter("Work", "sleeps");
	usleep(300000);
	leave("Work", "sleeps");
	leave("", "main");
}
C
run 0 generate -d "$directory" "$directory/php.d"
sanitize=
[ "${VMTAP_SANITIZED:-0}" = 1 ] && sanitize="-fsanitize=address,undefined"
$CC -O1 $sanitize -Iinclude -I"$BUILD/include" -I"$directory" -o "$directory/language" "$directory/language.c" \
	"$directory/php_probes.c" "$BUILD/libvmtap_probes.a" -pthread || fail "compiling"

cat >"$directory/calls" <<'LINES'
Thread#ends 1
Thread#ends;Thread#deep 1
Thread#stays 2
Thread#stays;Thread#deep 2
main 1
main;Work#sleeps 1
main;Work.outer 10
main;Work.outer;Work#fails 10
main;Work.outer;Work#fails;Work#fails 10
main;Work.outer;Work#fails;Work#fails;Work#fails 10
main;Work.outer;fib 10
main;Work.outer;fib;fib 20
main;Work.outer;fib;fib;fib 40
main;Work.outer;fib;fib;fib;fib 60
main;Work.outer;fib;fib;fib;fib;fib 20
LINES
run 0 flame --exact --by calls --folded -o - -c "$directory/language"
diff "$directory/calls" "$directory/out" || fail "the calls"
is_silent || fail "something is said"

# Time is elapsed time; a call that has not ended with its thread does not go on.
run 0 flame --exact --folded -o - -c "$directory/language"
awk '$1 == "main;Work#sleeps" { sleeps = $2 } { all += $2 } /^Thread#stays / { stays = $2 }
	END { exit !(sleeps >= 300000000 && stays < sleeps && all > sleeps) }' "$directory/out" || fail "the times"
run 0 flame --exact -o "$directory/picture.svg" -c "$directory/language"
grep -q '<title>fib (' "$directory/picture.svg" && grep -q "time by calls: $directory/language" "$directory/picture.svg" ||
	fail "the picture"

# what the probes take themselves is said where it is much of the time
is_silent || fail "something is said of few calls"
run 0 flame --exact -o "$directory/picture.svg" -c "$directory/language none 18"
cost="at least [0-9]+ % of this time is the probes' own \([0-9.]+ µs for each call and each return\)"
has err "^vmtap: .*: $cost: methods that are called often look too expensive, and what waits too cheap; samples are not distorted \('vmtap flame' without --exact\)$"
grep -qE ">$cost<" "$directory/picture.svg" || fail "the picture does not say what the probes take"
run 0 flame --exact --by calls -o "$directory/picture.svg" -c "$directory/language none 18"
is_silent || fail "calls are no time"
run 0 top --exact --interval 3600000 -c "$directory/language none 18"
has err "^vmtap: $cost: .*'vmtap top' without --exact\)$"
has out "METHOD, by elapsed time, at least [0-9]+ % of it the probes' own$"
run 0 record -n 'php*:::function-*' -o "$directory/log" -c "$directory/language none 18"
run 0 flame -o "$directory/picture.svg" "$directory/log"
has err "^vmtap: language \([0-9]+\): $cost: .*'vmtap record' without -n\)$"

# processes that run, each below its own frame
"$directory/language" "$directory/go" &
one=$!
"$directory/language" "$directory/go" &
other=$!
pids+=("$one" "$other")
for pid in "$one" "$other"; do
	await "the program does not run" cmp -s "/proc/$pid/exe" "$directory/language"
done
"$VMTAP" flame --exact --by calls --folded -o "$directory/lines" -p "$one" -p "$other" 2>"$directory/err" &
flame=$!
pids+=("$flame")
are_traced() { # both probes of a process
	[ "$("$VMTAP" list --json "$1" | grep -c '"traced": true')" = 2 ]
}
await "the guards of $one do not open" are_traced "$one"
await "the guards of $other do not open" are_traced "$other"
touch "$directory/go"
wait "$flame" || fail "flame of two processes"
for pid in "$one" "$other"; do
	sed "s/^/language ($pid);/" "$directory/calls"
done | LC_ALL=C sort >"$directory/wanted"
LC_ALL=C sort "$directory/lines" | diff "$directory/wanted" - || fail "two processes"
# and what a command starts
cat >"$directory/starts" <<V
#!/bin/sh
"$directory/language" & "$directory/language"; wait
V
chmod +x "$directory/starts"
run 0 flame --exact --via=kernel --follow --by calls --folded -o - -c "$directory/starts"
sed -E 's/^language \([0-9]+\);//' "$directory/out" | LC_ALL=C sort >"$directory/lines"
LC_ALL=C sort "$directory/calls" "$directory/calls" | diff - "$directory/lines" || fail "what a command starts"

# the same as a table: of the whole run, and of a process at each interval
run 0 top --exact --interval 3600000 -c "$directory/language"
has out '^[0-9]+ language: threads [0-9]+$'
has out '^ >SELF %  TOTAL %    CALLS/s  METHOD$'
awk '$4 == "fib" { fib = $3; own = $1; total = $2 } $4 == "Work.outer" { outer = $3; outers = $2 } $4 == "Work#fails" { fails = $3 }
	$4 == "Work#sleeps" { sleeps = $1 } $4 == "main" { main = $2 } NF == 4 && $2 ~ /^[0-9.]+$/ { sum += $1 }
	END { exit !(fib > 14 * outer && fails >= 2 * outer && outer > 0 && own == total && outers >= own &&
		main >= sleeps && sleeps > 0 && sum <= 100.5) }' "$directory/out" || fail "the table"
rm "$directory/go"
"$directory/language" "$directory/go" &
pid=$!
pids+=("$pid")
await "the program does not run" cmp -s "/proc/$pid/exe" "$directory/language"
run 3 top --exact --interval 100 --count 2 -p "$pid"
[ "$(grep -c 'METHOD$' "$directory/out")" = 2 ] || fail "two tables"
has err '^vmtap: no calls: nothing of it has called a method$'
seen="^vmtap: process $pid \(language\): php:::function-entry: PHP fires it only if USE_ZEND_DTRACE=1 is in its environment when it starts, which does not seem to be so; without --exact, 'vmtap"
has err "$seen top -p $pid' shows where its time goes, by samples$"
run 3 flame --exact --seconds 4 -o - -p "$pid"
has err "$seen flame -p $pid -o -' shows where"
has err '^vmtap: there has been no call for 3 seconds$'
has err "^vmtap: language \($pid\): no calls: nothing of it has called a method$"
has err "has not fired: PHP fires it only if USE_ZEND_DTRACE=1 is in its environment"

# What needs an event stream says which command works on these probes.
USE_ZEND_DTRACE=1 "$directory/language" "$directory/go" &
other=$!
pids+=("$other")
await "the program does not run" cmp -s "/proc/$other/exe" "$directory/language"
while read -r words; do
	# shellcheck disable=SC2086
	run 3 ${words//PID/$pid}
	has err "^vmtap: process $pid \(language\) serves no event stream"
	[ "$(tail -n 1 "$directory/err")" = \
		"vmtap: its probe php:::function-entry shows its calls, but PHP fires it only if USE_ZEND_DTRACE=1 is in its environment when it starts; 'vmtap flame -p $pid -o FILE' shows where its time goes, by samples" ] ||
		fail "the last line of $words of a process without the switch"
	# shellcheck disable=SC2086
	run 3 ${words//PID/$other}
	[ "$(tail -n 1 "$directory/err")" = \
		"vmtap: 'vmtap trace method_time -p $other' works on its php probes, and so does 'vmtap flame --exact -p $other -o FILE'" ] ||
		fail "the last line of $words"
done <<END
dump --via=stream PID
trace gc_bytes -p PID
END
run 1 trace --via=kernel -p "$pid" -n 'php$target:::function-entry { jstack(); }'
has err '; ustack\(\) shows the functions of any process$'

# what has no such probes
sleep 1000 &
pid=$!
pids+=("$pid")
await "it does not sleep" grep -q sleep "/proc/$pid/comm"
for verb in top flame; do
	word="-o$directory/none" again=" -o $directory/none"
	[ $verb = flame ] || word=--plain again=
	run 3 $verb --exact "$word" -p "$pid"
	[ "$(cat "$directory/err")" = \
		"vmtap: process $pid (sleep) has no probes of its calls; 'vmtap $verb -p $pid$again' shows where its time goes, by samples" ] ||
		fail "$verb --exact of sleep"
done
run 3 flame --exact -o "$directory/none" -c true
has err "^vmtap: without --exact, 'vmtap flame' shows any program, by samples$"
run 2 flame --exact --samples -o "$directory/none" -p "$pid"
has err '^vmtap flame: --exact takes no samples$'
run 2 flame --exact --by bytes -o "$directory/none" -p "$pid"
has err '^vmtap flame: --by bytes is of one VM that serves an event stream'
run 2 flame --by calls -o "$directory/none" -p "$pid"
has err '^vmtap flame: --by calls needs every call: with --exact'

# a VM that a command starts: both ways count the same calls
run 0 flame --exact --by calls --folded -o "$directory/lines" -c "$TOY examples/toy/programs/queens.toy"
run 0 flame --exact --via=kernel --by calls --folded -o "$directory/kernel" -c "$TOY examples/toy/programs/queens.toy"
grep -qE '^Board#solve [0-9]+$' "$directory/lines" || fail "a VM"
diff "$directory/lines" "$directory/kernel" || fail "a VM through the kernel"
run 0 record --lossless -o "$directory/log" -c "$TOY examples/toy/programs/queens.toy"
run 0 flame --by calls --folded -o "$directory/kernel" "$directory/log"
diff "$directory/lines" "$directory/kernel" || fail "a VM by its log"
# through the kernel, too: many more calls than are written to the file at once
run 0 record --via=kernel -n 'vm*:::method-*,vm*:::native-*' -o "$directory/log" -c "$TOY examples/toy/programs/queens.toy"
run 0 flame --by calls --folded -o "$directory/kernel" "$directory/log"
diff "$directory/lines" "$directory/kernel" || fail "a VM by a log of the kernel's probes"
run 0 trace method_count -q --log "$directory/log"
cp "$directory/out" "$directory/kernel"
run 0 trace method_count -q --lossless -c "$TOY examples/toy/programs/queens.toy"
grep % "$directory/out" | diff - <(grep % "$directory/kernel") || fail "method_count over a log of the kernel's probes"
exit 0
