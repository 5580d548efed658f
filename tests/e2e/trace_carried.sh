#!/bin/bash
# Scripts use the definition of a provider that comes with a stream, also its types by name. One that
# is damaged, has control lines, or does not agree with the events is left out with a message, and the
# trace goes on; the user's own definition comes first.
# tests: src/source/carried.c
set -u
. tests/e2e/common
alone "$0" "$@"
I="-Iinclude -I$BUILD/include -I$directory"
sanitize=${VMTAP_SANITIZED:+-fsanitize=address,undefined}
run 0 generate -d "$directory" examples/provider/tiny.d
build() { # name, sed script for the definition in the generated code
	sed -E "$2" "$directory/tiny_probes.c" >"$directory/$1.c"
	[ -z "$2" ] || ! cmp -s "$directory/tiny_probes.c" "$directory/$1.c" || fail "$1: nothing was changed"
	$CC -O1 $sanitize $I -o "$directory/$1" examples/provider/tiny.c "$directory/$1.c" "$BUILD/libvmtap.a" -pthread ||
		fail "$1 is not built"
}
count='tiny*:::lookup { @ = count(); } END { printa("%@d\n", @); }'

build good ''
# the types' names in a script: of a process that runs, and of a recording
cat >"$directory/wait.c" <<'C'
#include <stdio.h>
#include "tiny_probes.h"
int main(void)
{
	static struct vmtap_name method = VMTAP_NAME("m");
	vmtap_start(NULL);
	puts("serves");
	fflush(stdout);
	while (getchar() != EOF)
		TINY_LOOKUP(1, &method, 3);
	vmtap_stop();
	return 0;
}
C
$CC -O1 $sanitize $I -o "$directory/wait" "$directory/wait.c" "$directory/good.c" "$BUILD/libvmtap.a" -pthread || fail "wait is not built"
mkfifo "$directory/in"
"$directory/wait" <"$directory/in" >"$directory/said" &
waiting=$!
pids+=($waiting)
exec 5>"$directory/in"
await "no stream" grep -q serves "$directory/said"
"$VMTAP" trace --via stream -p $waiting -q -n 'BEGIN { printf("begun\n"); }
	tiny$target:::lookup { printf("%s %s\n", xlate <tiny_lookup_t>((uint32_t)arg0).outcome, args[0]->outcome); exit(0); }' \
	>"$directory/traced" 2>&1 &
tracer=$!
pids+=($tracer)
await "the trace does not begin" grep -q begun "$directory/traced"
echo >&5
wait $tracer || fail "the trace: $(cat "$directory/traced")"
grep -q '^miss miss$' "$directory/traced" || fail "the types' names: $(cat "$directory/traced")"
run 1 trace --via stream -p $waiting -q -n 'tiny$target:::lookup { printf("%s", xlate <no_such_t>(arg0).outcome); }'
has err 'syntax error near "no_such_t"'

# ... of a process and by name, when no target is given, and when it is waited for
named='BEGIN { printf("begun\n"); } tiny*:::lookup /arg0 == TINY_MISS/ {
	printf("%s %s %d\n", xlate <tiny_lookup_t>((uint32_t)arg0).outcome, args[0]->outcome, sizeof(struct tiny_lookup)); exit(0); }'
traced() { # arguments of trace: -n named
	: >"$directory/traced"
	"$VMTAP" trace "$@" -q -n "$named" >"$directory/traced" 2>&1 &
	tracer=$!
	pids+=($tracer)
	await "trace $* does not begin" grep -q begun "$directory/traced"
	# a VM that is found by itself may join after the beginning
	until ! kill -0 $tracer 2>/dev/null; do
		echo >&5
		sleep 0.02
	done
	wait $tracer || fail "trace $*: $(cat "$directory/traced")"
	grep -qE '^miss miss [0-9]+$' "$directory/traced" || fail "trace $*: $(cat "$directory/traced")"
}
traced -p $waiting
traced --wait wait
[ -z "${TEST_IS_ALONE:-}" ] || traced
exec 5>&-

# ... of a command, before it is started: in its program, stripped or not, and in a library of it
printed='tiny*:::lookup { @[xlate <tiny_lookup_t>((uint32_t)arg0).outcome, args[0]->outcome] = count(); }
	tiny*:::note /sizeof(struct tiny_lookup) > 4 && TINY_FLUSH == 2/ { printf("%s\n", copyinstr(arg0)); }'
strip -o "$directory/stripped" "$directory/good"
mkdir "$directory/lib"
sed 's/int main(/int tiny_main(/' examples/provider/tiny.c >"$directory/part.c"
$CC -O1 $sanitize $I -fPIC -shared -o "$directory/lib/libtinypart.so" "$directory/part.c" "$directory/good.c" \
	"$BUILD/libvmtap_probes.a" -L"$BUILD" -lvmtap -Wl,-rpath,"$PWD/$BUILD" || fail "libtinypart.so is not built"
echo 'int tiny_main(int, char **); int main(int count, char **words) { return tiny_main(count, words); }' >"$directory/whole.c"
$CC $sanitize -o "$directory/whole" "$directory/whole.c" -L"$directory/lib" -ltinypart -Wl,-rpath,'$ORIGIN/lib' \
	-Wl,-rpath-link,"$BUILD" || fail "whole is not built"
commands() { # arguments of trace
	local program
	for program in good stripped whole; do
		run 0 trace "$@" -q -c "$directory/$program 30" -n "$printed"
		has out '^begins$' && has out '^ends$'
		has out '^ +miss +miss +[0-9]+$' && has out '^ +hit +hit +[0-9]+$'
	done
}
commands
commands --via=stream
printf '#!/bin/sh\nexec %s 30\n' "$directory/good" >"$directory/script" && chmod +x "$directory/script"
for command in "$directory/script" "env TINY=1 $directory/good 30" "sh -c 'true; $directory/good 30'"; do
	run 0 trace --via=stream --follow -q -c "$command" -n "$printed"
	has out '^ +miss +miss +[0-9]+$'
done

# what the definition promises, and its types
promised() { # arguments of trace
	run 0 trace -l -v "$@" -c "$directory/good 3" -n 'tiny*:::lookup'
	[ "$(grep -c 'Identifier Names: Evolving' "$directory/out")" = 2 ] || fail "-l -v: another stability"
	has out '^		args\[0\] kind: uint32_t$' && has out '^		args\[1\] method: char \*$'
}
promised --via=stream
run 0 trace -v --via=stream -q -c "$directory/good 3" -n 'tiny*:::lookup { trace(arg2); }'
has out 'Minimum Probe Description Attributes' && has_not out 'Identifier Names: Unstable'

left_out() { # name, sed script, message
	build "$1" "$2"
	run 0 trace --via stream -q -c "$directory/$1 30" -n "$count"
	has out '^30$'
	grep -qF "vmtap: the definition of provider tiny that comes with its events is left out: $3" "$directory/err" ||
		fail "$1: expected: $3"
}
left_out damaged 's/(\| provider tiny \{)/\1 {/' '"tiny", line 10: syntax error near "{": expected probe or }, column 17'
left_out option 's/"\| enum tiny_kind/"| #pragma D option destructive\\n"\n\t&/' 'a definition that comes with events may have no control lines'
left_out size 's/\| probe lookup\(uint32_t kind/| probe lookup(uint16_t kind/' '"tiny", line 11: probe tiny:::lookup is incompatible with its existing declaration: other arguments'
left_out more 's/\| probe note\(char \*text/&, int beyond/' '"tiny", line 14: probe tiny:::note is incompatible with its existing declaration: other arguments'
left_out clause 's/"\| provider tiny/"| BEGIN { exit(0); }\\n"\n\t&/' '"tiny", line 10: a library may not contain probe clauses'

# the user's own definition is used instead
mkdir "$directory/own"
sed 's/"hit"/"my hit"/' examples/provider/tiny.d >"$directory/own/tiny.d"
run 0 trace --via stream -q -L "$directory/own" -c "$directory/good 30" -n 'tiny*:::lookup { @[args[0]->outcome] = count(); }'
has out 'my hit'
is_silent || fail "a message about the user's own definition"

# the same by the kernel, whose types and constants come from the files
"$VMTAP" trace --via=kernel -l -p $$ >/dev/null 2>"$directory/err" </dev/null
grep -q 'allows no BPF program' "$directory/err" &&
	echo "left out: the same by the kernel: it allows no BPF program" && exit 0
commands --via=kernel
promised --via=kernel
exit 0
