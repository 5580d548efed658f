#!/bin/bash
# Descriptions without a target, such as family*:::work: every process that maps an object with the
# probe, now or later, through the kernel. The providers have names of their own, so that no other
# process of this machine is traced.
# tests: src/kernel/process/all_processes.c src/kernel/process/new_sites.c src/kernel/watch
set -u
. tests/e2e/common

need_kernel
export XDG_RUNTIME_DIR=$directory/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
own=$(tr 0-9 a-j <<<$$)
name=all$own
# one provider's name ends in a digit, as that of a process does
family=fam${own}3 later=lat$own
$CC -O2 -Dfamily="$family" -o "$directory/${name}1" tests/tools/usdt_family.c -pthread &&
	$CC -O2 -Dlater="$later" -o "$directory/${name}l" tests/tools/usdt_loader.c -pthread -ldl &&
	$CC -O2 -Dlater="$later" -fPIC -shared -DLIBRARY -o "$directory/libnew.so" tests/tools/usdt_loader.c || fail "compiling"
cp "$directory/${name}1" "$directory/${name}2"
script="$family*:::begins, $family*:::work, $family*:::ends { @[execname, probename] = count(); }
	END { printa(\"%s %s %@d\\n\", @); }"

trace() { # arguments
	forget_output
	"$VMTAP" trace -q -n 'tick-10ms /!begun++/ { printf("begun\n"); }' "$@" >"$directory/out" 2>"$directory/err" </dev/null &
	tracer=$!
	pids+=("$tracer")
	await "it does not begin" grep -q begun "$directory/out"
}
finish() {
	kill -INT "$tracer"
	wait "$tracer" || fail "status $?"
}
counted() { # lines, as a pattern
	grep "^$name" "$directory/out" | sort | tr '\n' , | grep -qE "^$1$" || fail "not what was expected: $1"
}
# Starts a program that waits for the file "go$1" before it does what follows.
start() { # program, words
	rm -f "$directory/go$1"
	"$directory/$1" wait "$directory/go$1" "${@:2}" </dev/null >/dev/null 2>&1 &
	started=$!
	pids+=("$started")
	await "it does not run" grep -q "$1" "/proc/$started/comm"
}
go() { # program
	touch "$directory/go$1"
	wait "$started" || fail "$1: status $?"
}
late() { # file, how many lines by now
	[ "$(grep -c "($name[0-9l]): $1 was mapped before its probes were attached: its first events may be missing$" "$directory/err")" = "$2" ]
}

for reduce in yes no; do
	rm -f "$directory/${name}3"
	start "${name}2" work 2
	other=$started
	start "${name}1" fork 2 work 3
	trace -x reduce=$reduce -n "$script" -n "$family*:::work /execname == \"${name}1\"/ { @one[pid] = count(); }
		END { printa(\"one %@d\\n\", @one); }"
	go "${name}1"
	# what is known is traced from the first instruction on, whoever executes it
	"$directory/${name}1" fork 100 work 2 </dev/null
	"$directory/${name}2" fork 1 exec work 5 </dev/null
	started=$other
	go "${name}2"
	# a copy that nobody had mapped, from when it is attached to, which may be early enough; then from the first instruction on
	cp "$directory/${name}1" "$directory/${name}3"
	start "${name}3" work 1
	await "no line about a later program" late "${name}3" 1
	go "${name}3"
	"$directory/${name}3" work 4 </dev/null
	# and the file that replaces it
	cp "$directory/${name}3" "$directory/other"
	mv "$directory/other" "$directory/${name}3"
	start "${name}3" work 3
	await "no line about a file that has been replaced" late "${name}3" 2
	go "${name}3"
	finish
	counted "${name}1 begins 103,${name}1 ends 104,${name}1 work 206,${name}2 begins 3,${name}2 ends 3,${name}2 work 7,${name}3 begins [1-3],${name}3 ends 3,${name}3 work 8,"
	[ "$(grep -c '^one 2$' "$directory/out")" = 100 ] || fail "each child by itself (reduce=$reduce)"
	[ "$(grep -c '^one 3$' "$directory/out")" = 2 ] || fail "each child of the first (reduce=$reduce)"
	[ "$(grep -c "($name" "$directory/err")" = 2 ] || fail "other lines (reduce=$reduce)"
done

# A library that is loaded later: the first process's events from when it is attached to, then all.
mkfifo "$directory/lines"
start_loader() { # it reads lines from descriptor 7
	"$directory/${name}l" <"$directory/lines" >/dev/null &
	started=$!
	pids+=("$started")
	exec 7>"$directory/lines"
	echo "load $directory/libnew.so" >&7
}
trace -Z -n "$later*:::begins, $later*:::number { @[probename, probemod, probeprov == strjoin(\"$later\", lltostr(pid))] = count(); }
	END { printa(\"$name %s %s %d %@d\\n\", @); }"
start_loader
await "no line about a library that is loaded later" late libnew.so 1
echo "call 6" >&7
exec 7>&-
wait "$started" || fail "the loader: status $?"
printf 'load %s\ncall 2\n' "$directory/libnew.so" | "$directory/${name}l" >/dev/null
# The file is overwritten in place: other code is where its sites were, which must not be touched.
$CC -O0 -Dlater="$later" -fPIC -shared -DLIBRARY -o "$directory/other" tests/tools/usdt_loader.c || fail "compiling"
cat "$directory/other" >"$directory/libnew.so"
await "no line about a file that is overwritten" grep -q "libnew.so has been overwritten: its probes are detached" "$directory/err"
start_loader
await "no line about the new contents" late libnew.so 2
echo "call 4" >&7
exec 7>&-
wait "$started" || fail "the loader of the new contents: status $?"
finish
# the constructor of the first one may have been seen, too
grep -qE "^$name begins libnew.so 1 [123]$" "$directory/out" || fail "a constructor of a library that is known"
grep -q "^$name number libnew.so 1 12$" "$directory/out" || fail "a library that is loaded later"

# A process in namespaces of its own, whose files have no path here.
if [ "$(stat -Lc %i /proc/self/ns/pid)" != $((0xeffffffc)) ]; then
	echo "left out: a process in namespaces of its own: vmtap is in a pid namespace itself"
elif unshare --mount --pid --fork --mount-proc true 2>/dev/null; then
	trace -Z -n "$script"
	rm -f "$directory/go"
	unshare --mount --pid --fork --mount-proc sh -c "mount -t tmpfs none /mnt && cp $directory/${name}1 /mnt/${name}5 &&
		/mnt/${name}5 wait $directory/go && /mnt/${name}5 fork 1 work 2" </dev/null &
	started=$!
	pids+=("$started")
	await "no line about a program in other namespaces" late "${name}5" 1
	touch "$directory/go"
	wait "$started" || fail "in other namespaces: status $?"
	finish
	counted "${name}5 begins [23],${name}5 ends 3,${name}5 work 2,"
else
	echo "left out: a process in namespaces of its own: unshare is not permitted"
fi

# Nothing hangs while the tracer is stopped, or after its death; what is known is traced all the same.
start "${name}2" work 1
trace -n "$script"
kill -STOP "$tracer"
# so much is mapped meanwhile that the kernel has no room to tell of it: all processes are looked at
rm -f "$directory/${name}6"
cp "$directory/${name}1" "$directory/${name}6"
for ((i = 0; i < 400; i++)); do /bin/true; done
known=$started
start "${name}6" work 5
late=$started
"$directory/${name}1" fork 3 work 2 </dev/null || fail "a program ended with status $?"
"$directory/${name}2" fork 2 work 3 </dev/null || fail "a program ended with status $?"
kill -CONT "$tracer"
started=$known
go "${name}2"
await "no line about what was mapped meanwhile" late "${name}6" 1
started=$late
go "${name}6"
"$directory/${name}2" work 10 </dev/null
finish
grep -q "^${name}2 work 17$" "$directory/out" || fail "a tracer that was stopped for a while"
grep -q "^${name}6 work 5$" "$directory/out" || fail "what was mapped while the tracer was stopped"
start "${name}2" fork 2 work 1
trace -n "$script"
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
go "${name}2"
"$directory/${name}2" work 1 </dev/null || fail "a program ended with status $?"

# Symbols in stacks, also of the second program of a process.
start "${name}2" exec work 3 wait "$directory/over"
trace -n "$family*:::work { @[ustack(1)] = count(); } END { printa(\"%k %@d\\n\", @); }"
touch "$directory/go${name}2"
is_over() { [ "$(tr '\0' ' ' <"/proc/$started/cmdline")" = "$directory/${name}2 work 3 wait $directory/over " ] && grep -q 'S (sleeping)' "/proc/$started/status"; }
await "it does not work" is_over
finish
touch "$directory/over"
wait "$started"
grep -A1 "^ *${name}2\`act+0x" "$directory/out" | grep -q '^ *3$' || fail "no symbol in a stack"

# Listed, each process's; what is wrong; without privilege.
rm -f "$directory/never"
"$directory/${name}1" fork 1 wait "$directory/never" </dev/null &
started=$!
pids+=("$started")
has_child() { child=$(pgrep -P "$started"); }
await "no child" has_child
run 0 trace -l -n "$family*:::work"
has out "^ *[0-9]+ +$family$started +${name}1 +act work$"
has out "^ *[0-9]+ +$family$child +${name}1 +act work$"
run 0 trace -l -v -n "$family*:::work"
has out '^[[:space:]]*kernel$'
run 0 trace -l
has out "^ *[0-9]+ +$family$started +${name}1 +act work$"
kill -9 "$started" "$child"
run 1 trace -n "nosuch$own*:::probe { }"
has err 'does not match any probes \(no process has it now; -Z waits for one\)'
run 3 trace -n 'pid*:libc:malloc:entry { }'
has err 'the functions of every process cannot be probed; name the process: pid\$target with -p or -c'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --inh-caps=-all env -u XDG_RUNTIME_DIR \
		"$(realpath "$VMTAP")" trace -q -Z -n "$family*:::work { } BEGIN { exit(0); }" >"$directory/out" 2>"$directory/err" </dev/null
	# with a part of the privilege: of other users' processes
	if setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all,+bpf,+perfmon --ambient-caps=+bpf,+perfmon \
		env -u XDG_RUNTIME_DIR "$(realpath "$VMTAP")" trace -q -Z -n "$family*:::work { } BEGIN { exit(0); }" \
		>"$directory/part" 2>&1 </dev/null; then
		grep -qE '^vmtap: [0-9]+ processes are not looked at: reading their files needs the capability CAP_SYS_PTRACE' \
			"$directory/part" || { cat "$directory/part" && fail "no line about what may not be looked at"; }
	fi
	[ "$(grep -c "^vmtap: $family\*:::work: only event streams are looked at, since .*CAP_BPF" "$directory/err")" = 1 ] || fail "no line without privilege"
else
	echo "left out: without privilege: only root can give it up, and setpriv does it"
fi
exit 0
