#!/bin/bash
# Scripts use the definition of a provider that comes with a stream, also its types by name. One that
# is damaged, has control lines, or does not agree with the events is left out with a message, and the
# trace goes on; the user's own definition comes first.
set -u
. tests/e2e/common
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
exec 5>&-

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
[ ! -s "$directory/err" ] || fail "a message about the user's own definition"
exit 0
