#!/bin/bash
# A VM that refers to few probes: a script that describes others, too, runs, and a line names those
# that cannot fire; a script for nothing else is an error; -l does not list them; -Z is silent. So
# it is with a recording. A probe fires as soon as a library has it that is loaded later.
# tests: src/source/eventlog/eventlog_siteless.c
set -u
. tests/e2e/common
flags="-std=gnu11 -O2 -g -Iinclude -Isrc -I$BUILD/include -D_GNU_SOURCE"
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=" -fsanitize=address,undefined"
cat >"$directory/own.d" <<'D'
provider own {
	/* Never fired here. */
	probe tock(uint32_t kind);
	/* Fired twice. */
	probe tick(uint32_t kind);
};
D
run 0 generate --split --list -d "$directory" "$directory/own.d"
cp "$directory/out" "$directory/files"
(cd "$directory" && mkdir objects) && while read -r file; do
	$CC $flags -I"$directory" -c -o "$directory/objects/$(basename "${file%.c}.o")" "$file" || fail "$file"
done <"$directory/files"
ar rcs "$directory/own.a" "$directory"/objects/*.o
$CC $flags -I"$directory" -DFEW_STREAM -o "$directory/few" tests/shim/few.c "$directory/own.a" "$BUILD/libvmtap.a" -pthread &&
	$CC $flags -rdynamic -o "$directory/late" tests/shim/late.c "$BUILD/libvmtap.a" -pthread -ldl &&
	$CC $flags -fPIC -shared -o "$directory/other.so" -x c - -x none "$BUILD/libvmtap_probes.a" <<'C' || fail "no programs"
#include "vmtap.h"
void extension_fire(uint16_t cap, unsigned count)
{
	static struct vmtap_name file = VMTAP_NAME("a.my");
	while (count--)
		VMTAP_RAISE(&file, &file, cap, 0, "wrong");
}
C
few="$directory/few $directory/socket"

run 0 trace --via stream -q -c "$few" -n 'vm$target:::raise { printf("%s\n", copyinstr(arg0)); }' \
	-n 'vm$target:::gc-idle { printf("idle %d\n", arg0); }' -n 'own*:::tock { trace(args[0]); }'
has out '^idle 1$'
has err '^vmtap: no object of the process has a site of these probes, so they cannot fire: vm[0-9]+:::raise, own\*:::tock$'
[ "$(wc -l <"$directory/err")" = 1 ] || fail "more than a line"
# "*$target" is not shown as "*4711", and each probe once
run 0 trace --via stream -q -c "$few" -n '*$target:::raise, *$target:::raise, vm$target:::raise, *$target:::heap { trace(1); }
	vm$target:::gc-idle { printf("idle %d\n", arg0); }'
has err '^vmtap: no object of the process has a site of these probes, so they cannot fire: vm([0-9]+):::raise, vm[0-9]+:::heap$'
run 1 trace --via stream -c "$few" -n '*$target:::rais'
has err 'probe description \*\$target:::rais does not match any probes \(did you mean raise\?\)'
run 1 trace --via stream -c "$few" -n 'vm$target:::raise'
has err 'probe description vm[0-9]+:::raise does not match any probes \(no object of the process has a site of it, so it cannot fire\)$'
run 1 trace --via stream -c "$few" -n 'vm$target:::rais'
has err 'does not match any probes \(did you mean raise\?\)'
run 0 trace --via stream -Z -q -c "$few" -n 'vm$target:::raise' -n 'vm$target:::gc-idle { printf("idle %d\n", arg0); }'
has out '^idle 1$'
is_silent || fail "not silent with -Z"
run 0 trace --via stream -l -c "$few"
[ "$(awk 'NR > 1 && $2 ~ /^(vm|own)/ { print $NF }' "$directory/out" | sort | xargs)" = "cap-enable gc-idle gc-mark-begin gc-work tick" ] ||
	fail "-l lists what cannot fire"
run 0 trace --via stream -l -c "$few" -n 'vm$target:::raise, vm$target:::gc-*'
has err 'failed to match vm[0-9]+:::raise: No probe matches description \(no object of the process has a site of it, so it cannot fire\)'
[ "$(grep -c gc- "$directory/out")" = 3 ] || fail "-l of a glob"
# a glob says nothing of what it might match
run 0 trace --via stream -q -c "$few" -n 'vm$target::: { printf("%s %d\n", probename, arg0); }'
[ "$(grep -v done "$directory/out" | xargs)" = "gc-idle 1 gc-work 2 gc-mark-begin 4" ] || fail "a glob"
is_silent || fail "a glob is no reason for a line"

run 0 record -o "$directory/log" -c "$few"
run 0 trace -q --log "$directory/log" -n 'vm$target:::raise' -n 'vm$target:::gc-idle { printf("idle %d\n", arg0); }'
has out '^idle 1$'
has err 'cannot fire: vm[0-9]+:::raise$'

# A library brings the probe.
start_late "$directory/late"
"$VMTAP" trace --via stream -q -x switchrate=0 -p "$vm" -n 'vm$target:::raise { printf("raise %s %s %d %s\n", copyinstr(arg0), copyinstr(arg1), args[2], copyinstr(arg4)); }
	vm$target:::gc-idle { printf("idle %d\n", arg0); } vm$target:::gc-idle /arg0 == 9/ { exit(0); }' >"$directory/out" 2>"$directory/err" &
tracer=$!
pids+=("$tracer")
is_listening() {
	tell 'fire 0 1'
	grep -q '^idle 0$' "$directory/out"
}
await "not traced" is_listening
has err 'so they cannot fire: vm[0-9]+:::raise$'
tell "load $directory/other.so"
tell 'call 5 2'
tell 'fire 9 1'
wait "$tracer" || fail "trace"
[ "$(grep -c '^raise a.my a.my 5 wrong$' "$directory/out")" = 2 ] || fail "the library's events"
exit 0
