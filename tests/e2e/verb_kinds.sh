#!/bin/bash
# Each verb with each kind of target has an answer, or one line that says what does work: a VM by its
# stream and by the kernel, a process with USDT probes of a language, a plain process, one in a
# container, a log, a command, a VM's name, several processes, and VMs beside others. A row of the table
# is a kind, the status, the verb, and a pattern of what is printed; TARGET stands for the words that give
# the target, PID for its number, FILE for a file that is written.
# tests: src/targets/target_spec.c src/targets/target_streams.c src/targets/target_kinds.c
set -u
. tests/e2e/common
need_kernel

cat >"$directory/work.c" <<'C'
#include <sys/sdt.h>
#include <unistd.h>

volatile unsigned long sum;
static __attribute__((noinline)) void much(void)
{
	for (int i = 0; i < 3000000; i++)
		sum += (unsigned long)i;
}
int main(void)
{
	for (;;) {
#ifdef LANGUAGE
		STAP_PROBE5(php, function__entry, "much", "work.php", 3, "", "");
#endif
		much();
#ifdef LANGUAGE
		STAP_PROBE5(php, function__return, "much", "work.php", 3, "", "");
#endif
		usleep(10000); /* other tests need the processor */
	}
}
C
$CC -O1 -o "$directory/plain" "$directory/work.c" &&
	$CC -O1 -DLANGUAGE -o "$directory/usdt" "$directory/work.c" &&
	cp "$TOY" "$directory/toy_of_kinds" || fail "compiling"
start() { # the program and its words; they calculate without an end, which is not to slow down other tests
	nice -n 5 "$@" >/dev/null 2>&1 &
	pid=$!
	pids+=("$pid")
	await "$1 does not run" cmp -s "/proc/$pid/exe" "$1"
}
start "$directory/toy_of_kinds" tests/toy/loop.toy
vm=$pid
await_stream "$vm"
start "$directory/toy_of_kinds" tests/toy/loop.toy
other_vm=$pid
await_stream "$other_vm"
start "$directory/usdt"
usdt=$pid
# one with a name that nobody else has, in another run of this test
cp "$directory/usdt" "$directory/n$$"
start "$directory/n$$"
named=$pid
start "$directory/plain"
plain=$pid
# Its program has another path within, and it has another number there.
mkdir "$directory/inside"
unshare --mount --pid --fork sh -c "mount --bind $directory $directory/inside &&
	exec nice -n 5 $directory/inside/plain" >/dev/null 2>&1 &
keeper=$!
pids+=("$keeper")
await "nothing runs in the container" pgrep -P "$keeper" -x plain
container=$(pgrep -P "$keeper" -x plain)
pids+=("$container")
run 0 record --heap-profile=50ms -o "$directory/log" -c "$TOY examples/toy/programs/binary_trees.toy"
command=$directory/plain
vm_command="$TOY examples/toy/programs/richards.toy"

words_of() { # kind: the words that give a target of it
	case $1 in
	vm) words=(-p "$vm") number=$vm ;;
	vm-by-kernel) words=(--via=kernel -p "$vm") number=$vm ;;
	usdt) words=(-p "$usdt") number=$usdt ;;
	plain) words=(-p "$plain") number=$plain ;;
	container) words=(-p "$container") number=$container ;;
	log) words=(--log "$directory/log") number=0 ;;
	file) words=("$directory/log") number=0 ;;
	command) words=(-c "$command") number=0 ;;
	vm-command) words=(-c "$vm_command") number=0 ;;
	name) words=(--wait toy_of_kinds) number=0 ;;
	no-name) words=(--wait no_such_vm) number=0 ;;
	plain-name) words=(--wait plain) number=0 ;;
	family) words=(--follow -p "$keeper") number=$keeper ;;
	process-name) words=(-p "n$$") number=$named ;;
	several) words=(-p "$usdt" -p "$plain") number=$usdt ;;
	vms) words=(-p "$vm" -p "$other_vm") number=$vm ;;
	vms-by-kernel) words=(--via=kernel -p "$vm" -p "$other_vm") number=$vm ;;
	mixed) words=(-p "$vm" -p "$plain") number=$vm ;;
	plain-first) words=(-p "$plain" -p "$vm") number=$vm ;;
	*) fail "the kind $1" ;;
	esac
}
rows=0
while IFS='|' read -r kind status verb pattern; do
	[ -n "$kind" ] && [ "${kind:0:1}" != '#' ] || continue
	kind=${kind// /} status=${status// /}
	words_of "$kind"
	line=()
	eval "list=($verb)"
	for word in "${list[@]}"; do
		case $word in
		TARGET) line+=("${words[@]}") ;;
		PID) line+=("$number") ;;
		FILE) line+=("$directory/file") ;;
		*) line+=("$word") ;;
		esac
	done
	pattern=${pattern# }
	rm -f "$directory/file"
	timeout 120 "$VMTAP" "${line[@]}" >"$directory/out" 2>"$directory/err" </dev/null
	got=$?
	[ "$got" = "$status" ] || fail "$kind: vmtap ${line[*]}: status $got, not $status"
	if [ "$pattern" = FILE ]; then
		[ -s "$directory/file" ] || fail "$kind: vmtap ${line[*]}: no file"
	else
		grep -qhE -- "${pattern//PID/$number}" "$directory/out" "$directory/err" ||
			fail "$kind: vmtap ${line[*]}: no '$pattern'"
	fi
	# a refusal is a line, and perhaps one that refers to the verb's help
	[ "$status" = 0 ] || [ "$(wc -l <"$directory/err")" -le 2 ] || fail "$kind: vmtap ${line[*]}: many lines"
	rows=$((rows + 1))
done <<'ROWS'
# ---- trace
vm           |0| trace -q TARGET -n 'vm$target:::method-entry { printf("%d\n", pid); exit(0); }'        | ^PID$
vm-by-kernel |0| trace -q TARGET -n 'vm$target:::method-entry { printf("%d\n", pid); exit(0); }'        | ^PID$
usdt         |0| trace -q TARGET -n 'php$target:::function-entry { printf("%s\n", copyinstr(arg0)); exit(0); }' | ^much$
plain        |0| trace -q TARGET -n 'profile-997 /pid == $target && arg1/ { @[ufunc(arg1)] = count(); } profile-997 /pid == $target && ++n == 50/ { exit(0); }' | plain.much
plain        |3| trace -q TARGET --via=stream -n 'vm$target:::method-entry'                           | serves no event stream
container    |0| trace -q TARGET -n 'profile-997 /pid == $target && arg1/ { @[ufunc(arg1)] = count(); } profile-997 /pid == $target && ++n == 50/ { exit(0); }' | plain.much
log          |0| trace -q TARGET -n 'vm*:::gc-end { @ = count(); }'                                   | ^ +[1-9]
command      |0| trace -q TARGET -n 'profile-97 /pid == $target && arg1/ { @[ufunc(arg1)] = count(); } profile-97 /pid == $target && ++n == 50/ { exit(0); }' | plain.much
vm-command   |0| trace -q TARGET -n 'vm$target:::method-entry { @ = count(); }'                       | ^ +[1-9]
name         |0| trace -q TARGET -n 'vm*:::method-entry { printf("%s\n", execname); exit(0); }'      | ^toy_of_kinds$
process-name |0| trace -q TARGET -n 'php$target:::function-entry { printf("%d\n", pid); exit(0); }'   | ^PID$
several      |0| trace -q TARGET -n 'profile-97 /pid == $target/ { printf("%s\n", execname); exit(0); }' | ^usdt$
mixed        |0| trace -q TARGET -n 'vm*:::method-entry { printf("%d\n", pid); exit(0); }'            | nothing of it is traced
plain-first  |0| trace -q TARGET -n 'vm*:::method-entry { printf("%d\n", pid); exit(0); }'            | ^PID$
plain-first  |3| trace -q TARGET -n 'vm$target:::method-entry { exit(0); }'                          | vmtap flame -p [0-9]+ -o FILE
# ---- flame
vm           |0| flame --folded --seconds 1 TARGET -o -                                           | Worker#work [0-9]+$
vm           |0| flame --folded --samples --seconds 2 TARGET -o -                                 | Worker#work [0-9]+$
vm-by-kernel |0| flame --folded --seconds 2 TARGET -o -                                           | ;main;.*interpret
usdt         |0| flame --folded --seconds 2 TARGET -o -                                           | ;main;much [0-9]+$
usdt         |0| flame --folded --exact --seconds 1 TARGET -o -                                   | ^much [0-9]+$
plain        |0| flame --folded --seconds 2 TARGET -o -                                           | ;main;much [0-9]+$
plain        |3| flame --folded --exact TARGET -o -                                               | 'vmtap flame
container    |0| flame --folded --seconds 2 TARGET -o -                                           | ;main;much [0-9]+$
file         |0| flame --folded TARGET -o -                                                       | [0-9]+$
command      |0| flame --folded --seconds 2 TARGET -o -                                           | ;main;much [0-9]+$
vm-command   |0| flame --folded TARGET -o -                                                       | Scheduler#run
name         |0| flame --folded --seconds 2 TARGET -o -                                           | ^toy_of_kinds \([0-9]+\);.*Worker#work
process-name |0| flame --folded --seconds 2 TARGET -o -                                           | ;main;much [0-9]+$
several      |0| flame --folded --seconds 2 TARGET -o -                                           | ^usdt \(PID\);.*;main;much
vms          |0| flame --folded --seconds 2 TARGET -o -                                           | ^toy_of_kinds \(PID\);.*Worker#work
family       |0| flame --folded --seconds 2 TARGET -o -                                           | ^plain \([0-9]+\);.*;main;much
no-name      |3| flame --seconds 1 TARGET -o -                                                    | no VM of the name
mixed        |0| flame --folded --seconds 2 TARGET -o -                                           | ^toy_of_kinds \(PID\);.*interpret
plain-first  |0| flame --folded --seconds 2 TARGET -o -                                           | ^plain \([0-9]+\);.*;main;much
# ---- top
vm           |0| top --count 1 --interval 1500 TARGET                                             | Worker#work
vm-by-kernel |0| top --count 1 --interval 1500 TARGET                                             | interpret
usdt         |0| top --count 1 --interval 1500 TARGET                                             | much
usdt         |0| top --exact --count 1 --interval 1000 TARGET                                     | much
plain        |0| top --count 1 --interval 1500 TARGET                                             | much
plain        |3| top --exact --count 1 TARGET                                                     | 'vmtap top
container    |0| top --count 1 --interval 1500 TARGET                                             | much
log          |2| top TARGET                                                                      | 'vmtap flame 
file         |2| top TARGET                                                                      | 'vmtap flame
command      |0| top --count 1 --interval 1500 TARGET                                             | much
vm-command   |0| top --count 1 --interval 1000 TARGET                                             | toy
name         |0| top --count 1 --interval 1500 TARGET                                             | Worker#work
process-name |0| top --count 1 --interval 1500 TARGET                                             | much
several      |0| top --count 1 --interval 1500 TARGET                                             | PID +.*much
vms          |0| top --count 1 --interval 1500 TARGET                                             | PID +.*Worker#work
family       |0| top --count 1 --interval 1500 TARGET                                             | much
no-name      |3| top --seconds 1 TARGET                                                           | no VM of the name
mixed        |0| top --count 1 --interval 1500 TARGET                                             | PID +.*interpret
plain-first  |0| top --count 1 --interval 1500 TARGET                                             | much
# ---- record
vm           |0| record --seconds 1 TARGET -o FILE                                                | FILE
vm-by-kernel |0| record --seconds 1 TARGET -o FILE                                                | FILE
usdt         |0| record --seconds 1 TARGET -o FILE                                                | FILE
usdt         |0| record --seconds 1 -n 'php*:::function-entry' TARGET -o FILE                     | FILE
plain        |0| record --seconds 1 TARGET -o FILE                                                | FILE
container    |0| record --seconds 1 TARGET -o FILE                                                | FILE
command      |0| record --seconds 1 TARGET -o FILE                                                | FILE
vm-command   |0| record TARGET -o FILE                                                            | FILE
process-name |0| record --seconds 1 TARGET -o FILE                                                | FILE
several      |0| record --seconds 1 TARGET -o FILE                                                | FILE
name         |0| record --seconds 1 TARGET -o FILE                                                | FILE
no-name      |3| record --seconds 1 TARGET -o FILE                                                | no VM of the name 'no_such_vm'
plain-name   |3| record --seconds 1 TARGET -o FILE                                                | process [0-9]+ has that name, and serves no event stream: -p [0-9]+ takes it
family       |0| record --seconds 1 TARGET -o FILE                                                | FILE
vms          |2| record TARGET -o FILE                                                            | 'vmtap record --via=kernel -p PID -p [0-9]+ -o
vms-by-kernel|0| record --seconds 1 TARGET -o FILE                                                | FILE
mixed        |0| record --seconds 1 TARGET -o FILE                                                | FILE
mixed        |2| record --lossless TARGET -o FILE                                                 | --lossless is for a VM
# ---- dump
vm           |0| dump TARGET                                                                     | Worker#work|\(file\)
vm-by-kernel |0| dump TARGET                                                                     | ^thread [0-9]+ \(toy_of_kinds\)
usdt         |0| dump TARGET                                                                     | usdt.main
plain        |0| dump TARGET                                                                     | plain.main
container    |0| dump TARGET                                                                     | plain.main
process-name |0| dump TARGET                                                                     | n[0-9]+.main
several      |0| dump TARGET                                                                     | usdt.main
several      |0| dump TARGET                                                                     | plain.main
mixed        |0| dump TARGET                                                                     | plain.main
mixed        |0| dump TARGET                                                                     | Worker#work|\(file\)
family       |0| dump TARGET                                                                     | plain.main
file         |3| dump TARGET                                                                     | no process is named
command      |2| dump TARGET                                                                     | 'vmtap dump -p
name         |2| dump TARGET                                                                     | 'vmtap dump -p NAME'
log          |2| dump TARGET                                                                     | 'vmtap flame LOG -o FILE'
# ---- heap
vm           |0| heap --once TARGET                                                              | Worker|String|BYTES
usdt         |3| heap TARGET                                                                     | libvmtap
plain        |3| heap TARGET                                                                     | libvmtap
container    |3| heap TARGET                                                                     | libvmtap
file         |0| heap TARGET                                                                     | BYTES
log          |0| heap TARGET                                                                     | BYTES
vm           |0| heap --count 2 --interval 50 TARGET                                             | after sample
vm           |0| heap --seconds 1 --interval 300 TARGET                                          | after sample
vm-command   |0| heap --interval 20 TARGET                                                       | BYTES
command      |3| heap --seconds 1 TARGET                                                         | serves no event stream
name         |0| heap --once TARGET                                                              | BYTES
no-name      |3| heap --seconds 1 TARGET                                                         | no VM of the name 'no_such_vm'
family       |2| heap TARGET                                                                     | 'vmtap heap -p
vms          |2| heap TARGET                                                                     | 'vmtap heap -p
# ---- list
vm           |0| list PID                                                                        | vm +.* method-entry|method-entry
usdt         |0| list PID                                                                        | function-entry
plain        |1| list PID                                                                        | .
container    |1| list PID                                                                        | .
# ---- what reads files
file         |0| log TARGET                                                                      | capabilities
file         |0| export --html TARGET -o FILE                                                     | FILE
ROWS
[ "$rows" -ge 70 ] || fail "only $rows rows"
exit 0
