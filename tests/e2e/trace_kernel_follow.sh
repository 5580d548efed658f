#!/bin/bash
# trace --follow through the kernel: whatever a program starts, by whatever means, is traced from its
# first instruction to its last, although nobody prepared it.
# tests: src/targets/code_joins.c src/kernel/watch/process_watch.c src/kernel/watch/launch.c
set -u
. tests/e2e/common

need_kernel
export XDG_RUNTIME_DIR=$directory/runtime
mkdir -m 700 "$XDG_RUNTIME_DIR"
family=$directory/family$$
$CC -O2 -o "$family" tests/tools/usdt_family.c -pthread || fail "compiling"
script='family$target:::begins, family$target:::work, family$target:::ends {
		@[probename, pid] = count(); @wrong = sum(arg0 != pid); }
	END { printa("%s %d %@d\n", @); printa("wrong %@d\n", @wrong); }'

# The numbers of processes and of events of each probe, in one line.
summary() {
	awk '$1 == "wrong" { wrong = $2 } NF == 3 { processes[$1]++; events[$1] += $3 }
		END { printf("%d %d, %d %d, %d %d, %d\n", processes["begins"], events["begins"], processes["work"],
			events["work"], processes["ends"], events["ends"], wrong) }' "$directory/out"
}
# Processes and events that begin, work and end, and wrong values.
follows() { # expected, words
	local expected=$1 reduce
	shift
	for reduce in yes no; do
		run 0 trace -q --follow -x reduce=$reduce -n "$script" -- "$@"
		[ "$(summary)" = "$expected" ] || fail "$*: $(summary), expected $expected (reduce=$reduce)"
	done
}
follows "4 4, 3 15, 4 4, 0" "$family" fork 3 work 5
follows "4 4, 3 6, 4 4, 0" "$family" tree 3 work 2
follows "2 2, 1 3, 2 2, 0" "$family" vfork work 3
follows "2 2, 1 4, 2 2, 0" "$family" spawn work 4
follows "2 2, 1 3, 2 2, 0" "$family" clone work 3
follows "2 2, 1 3, 2 2, 0" "$family" thread work 3
follows "2 2, 1 6, 2 2, 0" "$family" orphan work 6
follows "3 3, 2 6, 3 3, 0" "$family" leader fork 2 work 3
follows "7 9, 4 4, 7 7, 0" "$family" fork 2 exec fork 2 work 1
follows "5 5, 3 4, 5 5, 0" "$family" fork 2 work 1 then spawn vfork work 2
follows "201 201, 200 2000, 201 201, 0" "$family" fork 200 work 10
# Programs that nobody knows when the trace begins, under a shell: two copies of one of them, one more
# in a mount namespace of its own, and one that loads a library with probes, twice.
copy=$directory/other$$
loader=$directory/loader
cp "$family" "$copy"
$CC -O2 -o "$loader" tests/tools/usdt_loader.c -pthread -ldl &&
	$CC -O2 -fPIC -shared -DLIBRARY -o "$directory/libone.so" tests/tools/usdt_loader.c || fail "compiling"
mkdir "$directory/inside"
cat >"$directory/all.sh" <<-END
	$family fork 2 work 3 &
	$copy fork 1 work 5
	wait
	for i in 1 2; do printf 'load $directory/libone.so\ncall 2\nfork 3\n' | $loader; done
	unshare -m sh -c 'mount -t tmpfs none $directory/inside && cp $family $directory/inside/inner && $directory/inside/inner fork 2 work 7'
	true
END
expected="later libone.so loader 8 16
family ${family##*/} ${family##*/} 2 6
family ${copy##*/} ${copy##*/} 1 5"
unshare -m sh -c "mount -t tmpfs none '$directory/inside'" 2>/dev/null && expected+="
family inner inner 2 14"
for reduce in yes no; do
	run 0 trace -q --follow -x reduce=$reduce -c "sh $directory/all.sh" -n 'family*:::work, later*:::number {
			@[probeprov, probemod, execname] = count(); @wrong = sum(probeprov != strjoin(arg0 == pid ? "family" : "later", lltostr(pid))); }
		END { printa("%s %s %s %@d\n", @); printa("wrong %@d\n", @wrong); }'
	[ "$(awk 'NF == 4 { sub(/[0-9]+$/, "", $1); key = $1 " " $2 " " $3; processes[key]++; events[key] += $4 }
		END { for (key in processes) print key, processes[key], events[key] }' "$directory/out" | sort)" = "$(sort <<<"$expected")" ] ||
		fail "copies, namespaces and libraries (reduce=$reduce)"
	has out '^wrong 0$'
	has_not err vmtap
done
# ^C in a storm of processes: nothing is said of what they do from then on.
cat >"$directory/storm.sh" <<-END
	for i in 1 2 3 4; do
		while :; do $family work 1; done &
	done
	wait
END
"$VMTAP" trace -q --follow -c "sh $directory/storm.sh" -n 'BEGIN { printf("begun\n"); } family*:::work { @ = count(); }
	tick-10ms { printa("%@d\n", @); }' >"$directory/out" 2>"$directory/err" </dev/null &
tracer=$!
await "no storm" grep -qE '^[1-9]' "$directory/out"
kill -INT "$tracer"
wait "$tracer" || fail "^C in a storm: status $?"
is_silent || fail "^C in a storm"
# Events are of the process that fires, with its own provider and parent.
run 0 trace -q --follow -c "$family fork 2 work 1" -n 'family$target:::work {
	printf("%d %d %s\n", probeprov == strjoin("family", lltostr(pid)), ppid == $target, execname); }'
[ "$(sort "$directory/out" | uniq -c | xargs)" = "1 2 1 1 ${family##*/}" ] ||
	[ "$(grep -c "^1 1 family$$$" "$directory/out")" = 2 ] || fail "provider, parent or name"
# A clause for all but the first process; functions.
run 0 trace -q --follow -c "$family fork 2 work 4" -n 'family*:::work /pid != $target/ { @ = count(); }
	pid$target:a.out:child:entry { @children[pid] = count(); }
	END { printa("all %@d\n", @); printa("child %@d\n", @children); }'
has out '^all 8$'
[ "$(grep -c '^child 1$' "$directory/out")" = 2 ] || fail "functions of children"

# ---- a process that runs ----

mkfifo "$directory/go"
start() { # words
	rm -f "$directory/now" "$directory/then"
	setsid "$family" "$@" </dev/null >/dev/null 2>&1 &
	running=$!
	pids+=("$running")
}
trace() {
	forget_output
	VMTAP_DEBUG=kernel "$VMTAP" trace "$@" >"$directory/out" 2>"$directory/err" </dev/null &
	tracer=$!
	pids+=("$tracer")
}
has_children() { [ "$(pgrep -c -P "$running")" = "$1" ]; }
begun='BEGIN { printf("begun\n"); }'
# Its children that run already count, too, and theirs.
start fork 2 wait "$directory/now" work 3 fork 2 work 1
await "the children do not run" has_children 2
trace -q --follow -p "$running" -n "$begun $script"
await "it does not begin" grep -q begun "$directory/out"
are_watched() { [ "$(grep -o 'process [0-9]* is watched' "$directory/err" | sort -u | wc -l)" = 3 ]; }
await "the children are not watched" are_watched
touch "$directory/now"
wait "$tracer" || fail "a process that runs: status $?"
sed -i '/^begun$/d' "$directory/out"
[ "$(summary)" = "4 4, 6 10, 7 7, 0" ] || fail "a process that runs: $(summary)"

# The tracer is killed while a child is stopped for it: all goes on.
start wait "$directory/now" fork 3 run "$family" work 2 wait "$directory/then"
trace -q --follow -p "$running" -n "$begun $script"
await "it does not begin" grep -q begun "$directory/out"
await "it is not watched" grep -q "process $running is watched" "$directory/err"
kill -STOP "$tracer"
touch "$directory/now"
is_stopped() { grep -q '^State:[[:space:]]*T' $(pgrep -P "$running" | sed 's|.*|/proc/&/status|') /dev/null 2>/dev/null; }
await "no child is stopped when it executes another program" is_stopped
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
touch "$directory/then"
await "the process does not end after the tracer's death" eval "! kill -0 $running"
wait "$running"
status=$?
[ "$status" = 0 ] || fail "the process ended with status $status"

# ---- with streams ----

# VMs come by their streams, other programs through the kernel, in one run; nothing comes twice.
program=examples/toy/programs/queens.toy
run 0 trace -q --follow -c "sh -c '$family fork 2 work 3; $TOY $program; $family work 1'" -n 'vm$target:::startup { printf("startup %s\n", execname); }
	vm$target:::shutdown { printf("shutdown\n"); } family$target:::work { printf("work %d\n", arg0 == pid); }'
[ "$(grep -E '^(startup|shutdown|work) ?[a-z0-9]*$' "$directory/out" | sort | uniq -c | xargs)" = "1 shutdown 1 startup toy 7 work 1" ] || fail "streams and the kernel"
# All of it through the kernel.
run 0 trace -q --follow --via=kernel -c "sh -c '$family fork 2 work 3; $TOY $program'" -n 'vm$target:::startup { printf("startup %s\n", execname); }
	vm$target:::shutdown { printf("shutdown\n"); } family$target:::work { printf("work %d\n", arg0 == pid); }'
[ "$(grep -E '^(startup|shutdown|work) ?[a-z0-9]*$' "$directory/out" | sort | uniq -c | xargs)" = "1 shutdown 1 startup toy 6 work 1" ] || fail "all through the kernel"
# What is misspelt is an error, as far as that can be known.
run 1 trace --follow -c "$family" -n 'family$target:::wrok { }'
has err 'does not match any probes'
# The script ends the run: what the command has started is ended.
run 7 trace -q --follow -c "$family fork 2 work 1 wait $directory/never" -n 'family$target:::work { exit(7); }'
await "processes are left" eval "! pgrep -f 'family$$ fork 2 work 1 wait'"

# In a pid namespace of its own.
if unshare --pid --fork --mount-proc true 2>/dev/null; then
	unshare --pid --fork --mount-proc "$VMTAP" trace -q --follow -c "$family fork 2 exec tree 2 work 3" -n "$script" \
		>"$directory/out" 2>"$directory/err" </dev/null || fail "in a namespace: status $?"
	[ "$(summary)" = "7 9, 4 12, 7 7, 0" ] || fail "in a namespace: $(summary)"
else
	echo "left out: a pid namespace: unshare is not permitted"
fi

# Without privilege, one line says what is missing.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set=-all --inh-caps=-all env -u XDG_RUNTIME_DIR \
		"$(realpath "$VMTAP")" trace -q --follow -Z -c true -n 'family$target:::work { }' >"$directory/out" 2>"$directory/err" </dev/null
	[ "$(grep -c 'family\[0-9\]\*:::work: only event streams are looked at, since' "$directory/err")" = 1 ] || fail "no line without privilege"
else
	echo "left out: without privilege: only root can give it up, and setpriv does it"
fi
exit 0
