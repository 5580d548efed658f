#!/bin/bash
# A process may be given by its name wherever a pid is: by that of its executable, or the one that it
# has given itself, of which the kernel keeps 15 bytes. Several of a name are listed, none is said,
# with the process that runs a script of that name.
# tests: src/usdt/process/process_names.c src/cli/cli.c
. tests/e2e/common

name=names_of_$$
cp "$TOY" "$directory/$name"
"$directory/$name" tests/toy/loop.toy >/dev/null 2>&1 &
vm=$!
pids+=("$vm")
await_stream "$vm"
run 0 trace -q -p "$name" -n 'vm$target:::method-entry { printf("%d\n", pid); exit(0); }'
has out "^$vm$"
run 0 dump "$name"
has out '^thread 1'
run 0 dump -p "$name"
has out '^thread 1'
run 0 heap --once -p "$name"
run 0 flame --folded --seconds 1 -p "$name" -o -
has out 'Worker#work'
run 0 record --seconds 1 -o "$directory/log" -p "$name"
run 0 log "$directory/log"
has out "^ +process +$vm$"
for verb in "trace -q -n BEGIN" "flame -o -" "dump" "heap" "record -o $directory/none" "top --count 1"; do
	# shellcheck disable=SC2086
	run 3 $verb -p "no_$name"
	has err "^vmtap: no process is named 'no_$name'$"
done
# an operand that is no file
run 2 flame -o - "$name"
has err "^vmtap: $name: there is no such file; '-p $name' is the process of that name$"
run 2 heap "$name"
has err "'-p $name' is the process of that name$"
# the name of a script that an interpreter runs
printf 'read -r line\n' >"$directory/waits_$$.sh"
mkfifo "$directory/line"
sh -u "$directory/waits_$$.sh" <>"$directory/line" &
script=$!
pids+=("$script")
await "no script" grep -q waits_ "/proc/$script/cmdline"
hint="process $script( \\(sh\\))? runs it: -p $script$"
run 3 top --count 1 -p "waits_$$.sh"
has err "^vmtap: no process is named 'waits_$$.sh'; $hint"
run 2 flame -o - "waits_$$.sh"
has err "^vmtap: waits_$$.sh is no file; $hint"
run 2 flame -o - "$directory/waits_$$.sh"
has err "^vmtap: $directory/waits_$$.sh is no recording; $hint"
run 2 heap "$directory/waits_$$.sh"
has err "$hint"
for verb in top "trace" "record -o $directory/none"; do
	# shellcheck disable=SC2086
	run 2 $verb "$name"
	has err "^vmtap: $name: there is no such file; '-p $name' is the process of that name$"
done
run 3 list "$name"
has err "^vmtap: the process of that name: 'vmtap list $vm'$"
run 3 list sh
has err "^vmtap: the program of that name: 'vmtap list /[a-z/]*/sh'$"
# a number is a process, in each of the verbs that take one
run 0 record --seconds 1 -o "$directory/log" "$vm"
run 0 top --count 1 --interval 300 "$vm"
has out "^$vm $name: "
run 1 trace method_time "$vm"
has err "'vmtap trace method_time -p $vm'$"
run 1 trace -p "$vm"
has err "^vmtap: 'vmtap scripts' lists the scripts"
# a name that the process has given itself, longer than the kernel keeps
cat >"$directory/named.c" <<'C'
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char **words)
{
	(void)count;
	prctl(PR_SET_NAME, words[1]);
	pause();
}
C
$CC -o "$directory/named" "$directory/named.c" || fail "compiling"
long=n$$_of_more_than_15_bytes
"$directory/named" "$long" &
one=$!
pids+=("$one")
await "no name" grep -q "^${long:0:15}$" "/proc/$one/comm"
run 0 trace -q -p "$long" -n 'BEGIN { printf("%d\n", $target); exit(0); }'
has out "^$one$"
"$directory/named" "$long" &
two=$!
pids+=("$two")
await "no name" grep -q "^${long:0:15}$" "/proc/$two/comm"
run 3 trace -q -p "$long" -n 'BEGIN { exit(0); }'
has err "^vmtap: 2 processes are named '$long': give the pid of one: "
has err " $one( |$)"
has err " $two( |$)"
exit 0
