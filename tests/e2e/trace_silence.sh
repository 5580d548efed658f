#!/bin/bash
# Probes that a runtime fires only under a condition of its own: if one has not fired, a line at the
# end says what the program lacks; if it has, or if the condition holds, nothing is said.
# tests: src/kernel/process/silent_probes.c
set -u
. tests/e2e/common

need_kernel
# With the word "fires", the probes fire whatever the conditions are.
cat >"$directory/runtime.c" <<'C'
#include <string.h>
#include <sys/sdt.h>

int main(int count, char **words)
{
	for (int i = 1; i < count; i++) {
		if (!strcmp(words[i], "fires")) {
			DTRACE_PROBE(php, function__entry);
			DTRACE_PROBE(ruby, method__entry);
			DTRACE_PROBE(hotspot, method__entry);
			DTRACE_PROBE(hotspot, gc__begin);
			DTRACE_PROBE(python, function__entry);
			DTRACE_PROBE(python, line);
		}
	}
	return 0;
}
C
$CC -O2 -o "$directory/python3.11" "$directory/runtime.c" || fail "compiling"
cp "$directory/python3.11" "$directory/runtime" || fail "cp"
silent() { # command, script, options
	run 0 trace -q -c "$1" -n "$2" "${@:3}"
	has_not err 'fires|fired'
}
says() { # command, script, text, options
	run 0 trace -q -c "$1" -n "$2" "${@:4}"
	has err "^vmtap: process [0-9]+ \\([a-z0-9.-]+\\): $3"
	[ "$(grep -cE 'fires|fired' "$directory/err")" = 1 ] || fail "more than one line"
}

unset USE_ZEND_DTRACE JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS
says "$directory/runtime" 'php$target:::function-entry { }' \
	'php[0-9]+:::function-entry has not fired: PHP fires it only if USE_ZEND_DTRACE=1'
silent "$directory/runtime fires" 'php$target:::function-entry { printf("fired"); }'
for reduce in yes no; do # an event of clauses that the kernel carries out is one, too
	silent "$directory/runtime fires" 'php$target:::function-entry { @ = count(); }' -x reduce=$reduce
	silent "$directory/runtime fires" 'php$target:::function-entry /pid != $target/ { @ = count(); }' -x reduce=$reduce
	says "$directory/runtime" 'php$target:::function-entry { @ = count(); }' 'php[0-9]+:::function-entry has not fired' -x reduce=$reduce
done
USE_ZEND_DTRACE=1 silent "$directory/runtime" 'php$target:::function-entry { }'
USE_ZEND_DTRACE=0 says "$directory/runtime" 'php$target:::function-entry { }' 'php[0-9]+:::function-entry has not fired'

says "$directory/runtime -XX:+UseSerialGC" 'hotspot$target:::method-entry { } hotspot$target:::gc-begin { }' \
	'hotspot[0-9]+:::method-entry has not fired: the JVM fires it only if it is started with -XX:\+ExtendedDTraceProbes'
for flag in -XX:+ExtendedDTraceProbes -XX:+DTraceMethodProbes @options -XX:Flags=file; do
	silent "$directory/runtime $flag" 'hotspot$target:::method-entry { }'
done
JAVA_TOOL_OPTIONS=-XX:+ExtendedDTraceProbes silent "$directory/runtime" 'hotspot$target:::method-entry { }'
silent "$directory/runtime" 'hotspot$target:::gc-begin { }'

cp "$directory/runtime" "$directory/libruby-3.1"
says "$directory/libruby-3.1" 'ruby$target:::method-entry { }' \
	'ruby[0-9]+:::method-entry has not fired: Ruby fires it only while a TracePoint for calls is enabled'
silent "$directory/libruby-3.1 fires" 'ruby$target:::method-entry { printf("fired"); }'
silent "$directory/runtime" 'ruby$target:::method-entry { }'

says "$directory/python3.11 fires" 'python$target:::function-entry { }' \
	'python[0-9]+:::function-entry fires for generators only: Python 3.11 .*; add: -n '\''python\*:::line /0/ \{ \}'\''$'
silent "$directory/python3.11 fires" 'python$target:::function-entry { } python$target:::line /0/ { }'
silent "$directory/runtime fires" 'python$target:::function-entry { }'
exit 0
