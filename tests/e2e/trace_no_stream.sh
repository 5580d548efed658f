#!/bin/bash
# Programs that serve no event stream, or whose probes are also their provider's of another runtime:
# what is missing is said, whatever the options, and what is there is traced.
# tests: src/targets/kernel_need.c src/kernel/process/probe_alias.c
set -u
. tests/e2e/common

cat >"$directory/hot.c" <<'C'
#include <sys/sdt.h>
#include <unistd.h>

/* It ends after a few rounds if it is given a word. */
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; argc < 2 || i < 3; i++) {
		DTRACE_PROBE(hot, hit);
		usleep(1000);
	}
}
C
# It loads the library of its stream itself, as an interpreter does with a module.
cat >"$directory/loads.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <sys/sdt.h>

int main(int argc, char **argv)
{
	void *library = dlopen(argv[1], RTLD_NOW);
	int (*serve)(void) = NULL;

	if (argc > 1 && library)
		*(void **)&serve = dlsym(library, "serve");
	DTRACE_PROBE1(python, gc__start, 2);
	if (!serve)
		fprintf(stderr, "%s\n", dlerror());
	return serve ? serve() : 1;
}
C
cat >"$directory/module.c" <<'C'
#include <stddef.h>

#include "vmtap.h"

int serve(void)
{
	static struct vmtap_name cause = VMTAP_NAME("test");

	if (vmtap_start(NULL))
		return 1;
	for (int i = 0; i < 5; i++)
		VMTAP_GC_START(1, 2, 1, 4, &cause, 6);
	vmtap_stop();
	return 0;
}
C
if [ "${VMTAP_SANITIZED:-0}" = 1 ]; then
	echo "the program without a stream loads the library, and AddressSanitizer must be loaded first" && exit 77
fi
$CC -O1 -o "$directory/hot" "$directory/hot.c" && $CC -O1 -o "$directory/loads" "$directory/loads.c" -ldl &&
	$CC -O1 -fPIC -shared -I"$BUILD/include" -Iinclude -o "$directory/module.so" "$directory/module.c" \
		"$BUILD/libvmtap.a" -pthread || fail "compiling"

"$directory/hot" &
hot=$!
pids+=("$hot")
# jstack() without a stream
for script in 'profile-97 { jstack(); }' 'profile-97 /pid == $target/ { jstack(); }'; do
	for options in '' '-Z' '-q -Z'; do
		run 3 trace $options -p "$hot" -n "$script"
		has err '^vmtap: jstack\(\) takes samples from a VM.s event stream only, and process [0-9]+ \(hot\) serves no.*; ustack\(\) shows the functions of any process$'
	done
done
run 0 trace -q -Z -p "$hot" -n 'vm$target:::gc-start { jstack(); } tick-1ms { exit(0); }'
has err '^vmtap: process [0-9]+ \(hot\) serves no event stream'

if (need_kernel >/dev/null); then
	for target in "-p $hot" "-c $directory/hot"; do
		run 1 trace $target -n 'hot$target:::hitt { }'
		has err '^dtrace: .*:::hitt does not match any probes \(did you mean hit\?\)'
		has_not err 'serves no event stream'
	done
	# a command may still execute another program, so this is known when it has ended
	run 1 trace -c "$directory/hot 3" -n 'htt$target:::hit { }'
	has err '^dtrace: .*:::hit does not match any probes \(did you mean hot\?\)'
	has_not err 'serving an event stream'
	run 3 trace -c "$directory/hot 3" -n 'nosuch$target:::hit { }'
	has err 'has ended without serving an event stream$'
	# what no stream could have is wrong itself; what one could have, is missing with it
	while read -r script advice; do
		for option in '' --via=kernel; do
			run 1 trace $option -p "$hot" -n "$script"
			has err "^dtrace: .*does not match any probes \\($advice"
			has_not err 'serves no event stream'
		done
	done <<-'END'
		sycall::read:entry did you mean syscall\?
		syscall::raed:entry did you mean read\?
		shced:::on-cpu did you mean sched\?
		profil-97 did you mean profile-97\?
		tik-1s did you mean tick-1s\?
		hitt did you mean hit\?
		htt$target:::hit did you mean hot\?
		libc$target:::entry the functions of a library are probes such as pid\$target:libc::entry
	END
	run 1 trace -p "$hot" -n 'nosuch$target:::hit { }'
	has err '^dtrace: .*:::hit does not match any probes,'
	has_not err 'serves no event stream'
	for name in 'vm$target:::gc-strat' gc-start '*$target:::gc-*'; do
		run 3 trace -p "$hot" -n "$name { }"
		has err 'serves no event stream'
		has_not err 'does not match'
	done
	# a provider of the machine is not waited for
	run 1 trace --follow -c "$directory/hot" -n 'sycall::read:entry { }'
	has err '^dtrace: .* sycall::read:entry does not match any probes \(did you mean syscall\?\)'
fi
kill "$hot"

# A description without a provider is of all probes of that name, also if a stream has one of them.
cat >"$directory/both.c" <<'C'
#include <stdio.h>
#include <sys/sdt.h>

#include "vmtap.h"

int main(int argc, char **argv)
{
	(void)argv;
	if (vmtap_start(NULL))
		return 1;
	if (argc == 1)
		getchar();
	for (int i = 0; i < 5; i++) {
		VMTAP_GC_IDLE(1);
		DTRACE_PROBE(python, gc__idle);
	}
	vmtap_stop();
	return 0;
}
C
$CC -O1 -I"$BUILD/include" -Iinclude -o "$directory/both" "$directory/both.c" "$BUILD/libvmtap_probes.a" \
	"$BUILD/libvmtap.a" -pthread -ldl || fail "compiling"
start_both() { # a command before it
	rm -f "$directory/input"
	mkfifo "$directory/input"
	"$@" "$directory/both" <"$directory/input" &
	both=$!
	pids+=("$both")
	exec 8>"$directory/input"
	await_stream "$both"
}
trace_both() { # description, a command before both
	start_both "${@:2}"
	forget_output
	"${@:2}" timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace -q -p "$both" \
		-n "BEGIN { printf(\"begun\\n\"); } $1 { @[probeprov] = count(); }" \
		>"$directory/out" 2>"$directory/err" </dev/null 8>&- &
	tracer=$!
	pids+=("$tracer")
	await "the trace does not begin" grep -q begun "$directory/out"
	exec 8>&-
	wait "$tracer" || fail "$1: status $?"
}
# Without the kernel, the probes of the stream are traced, though a file has a site of that name.
user=(env)
[ "$(id -u)" != 0 ] || user=(setpriv --bounding-set=-all --inh-caps=-all)
"${user[@]}" true || { echo "setpriv cannot take away privileges"; exit 77; }
"${user[@]}" timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace -q -c "$directory/loads $directory/module.so" \
	-n 'gc-start { @[probename] = count(); }' >"$directory/out" 2>"$directory/err" </dev/null ||
	fail "the stream of an unprivileged command"
has out '^ +gc-start +5$'
has err "^vmtap: :::gc-start: only the event stream's probes are traced, since the kernel allows no BPF program"
for description in gc-idle '*$target:::gc-idle'; do
	if (need_kernel >/dev/null); then
		trace_both "$description"
		has out "^ +vm$both +5$"
		has out "^ +python$both +5$"
		is_silent || fail "a message"
		run 0 trace -q -c "$directory/both command" -n "$description { @[probename] = count(); }"
		has out '^ +gc-idle +10$'
	fi
	trace_both "$description" "${user[@]}"
	has out "^ +vm$both +5$"
	has_not out python
	has err ':::gc-idle: only the event stream.s probes are traced, since the kernel allows no BPF program'
	[ "$(wc -l <"$directory/err")" = 1 ] || fail "not one line"
done
trace_both 'vm$target:::gc-idle' "${user[@]}"
has out "^ +vm$both +5$"
is_silent || fail "a message"
# why a process that runs has no functions to trace
sleep 1000 &
pids+=($!)
"${user[@]}" "$VMTAP" trace -q -p $! -n 'pid$target:libc:malocc:entry { }' >"$directory/out" 2>"$directory/err" </dev/null &&
	fail "functions without privilege"
has err '^vmtap: .*malocc:entry: the kernel allows no BPF program'
has_not err 'needs a process'
# one that no stream can have needs the kernel
"${user[@]}" "$VMTAP" trace -q -c "$directory/loads $directory/module.so" -n 'python*:::gc-start { }' \
	>"$directory/out" 2>"$directory/err" </dev/null && fail "a probe that needs the kernel"
has err '^vmtap: python\*:::gc-start: the kernel allows no BPF program'
exit 0
