#!/bin/bash
# bpftrace, gdb and perf see the probes of a provider that vmtap generate has made: the names, the
# arguments, strings and numbers, and as many events as the program fires.
set -u
. tests/e2e/common
I="-Iinclude -I$BUILD/include -I$directory"
run 0 generate -d "$directory" examples/provider/tiny.d
$CC -O2 -mno-red-zone $I -o "$directory/tiny_own" examples/provider/tiny.c "$directory/tiny_probes.c" "$BUILD/libvmtap.a" -pthread ||
	fail "tiny is not built"
program=$directory/tiny_own
seen=0

if command -v gdb >/dev/null; then
	seen=$((seen + 1))
	LC_ALL=C gdb -q -nx -batch -iex 'set debuginfod enabled off' -iex 'set auto-load off' \
		-ex 'info probes stap tiny' -ex 'break -probe-stap tiny:lookup' -ex 'run 5' \
		-ex 'print $_probe_argc' -ex 'print $_probe_arg0' -ex 'print (char *)$_probe_arg1' -ex 'print $_probe_arg2' \
		-ex 'continue 2' -ex 'print $_probe_arg0' -ex kill "$program" >"$directory/out" 2>&1
	for probe in lookup stack__grow note; do
		has out "^stap +tiny +$probe +0x[0-9a-f]+ +0x[0-9a-f]+ +.*tiny_own"
	done
	has out '^\$1 = 3$'
	has out '^\$2 = 1$'
	has out '^\$3 = 0x[0-9a-f]+ "push"$'
	has out '^\$4 = 10$'
	has out '^\$5 = 0$'
fi

if command -v bpftrace >/dev/null && [ "$(id -u)" = 0 ] && bpftrace -e 'BEGIN { exit(); }' >/dev/null 2>&1; then
	seen=$((seen + 1))
	timeout 120 bpftrace -B none -c "$program 1000" -e "
		usdt:$program:tiny:lookup { @methods[str(arg1), arg0] = count(); @lines = sum(arg2); }
		usdt:$program:tiny:stack__grow { @bytes = sum(arg1); }
		usdt:$program:tiny:note { @notes[str(arg0)] = count(); }" >"$directory/out" 2>"$directory/err" || fail "bpftrace"
	has out '^@bytes: 1920$'
	has out '^@lines: 11495$'
	has out '^@methods\[push, 1\]: 84$'
	has out '^@notes\[begins\]: 1$'
	has out '^@notes\[ends\]: 1$'
fi

if command -v perf >/dev/null && [ "$(id -u)" = 0 ]; then
	export PERF_BUILDID_DIR=$directory/buildid
	perf --buildid-dir "$directory/buildid" buildid-cache --add "$program" >"$directory/out" 2>&1 || fail "perf buildid-cache"
	perf --buildid-dir "$directory/buildid" list sdt >"$directory/out" 2>&1
	if grep -q sdt_tiny "$directory/out"; then
		seen=$((seen + 1))
		has out 'sdt_tiny:lookup'
		has out 'sdt_tiny:stack__grow'
		has out 'sdt_tiny:note'
	fi
fi
[ "$seen" -gt 0 ] || exit 77
exit 0
