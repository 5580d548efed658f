#!/bin/bash
# A command that is no VM is waited for only if it may become one: if it loads libraries or executes
# programs while it runs. What is waited for, and how long, --seconds limits as a whole.
# tests: src/targets/program_hope.c src/usdt/elf/imports.c src/targets/target_command.c
. tests/e2e/common

cat >"$directory/none.c" <<'C'
#include <unistd.h>
int main(void)
{
	for (;;)
		pause();
}
C
cat >"$directory/loads.c" <<'C'
#include <dlfcn.h>
#include <unistd.h>
int main(int count, char **words)
{
	if (count > 2)
		dlopen(words[1], RTLD_NOW);
	for (;;)
		pause();
}
C
cat >"$directory/executes.c" <<'C'
#include <unistd.h>
int main(int count, char **words)
{
	(void)count;
	return execv(words[1], words + 1);
}
C
for program in none loads executes; do
	$CC -o "$directory/$program" "$directory/$program.c" || fail "compiling"
done
# of a program that is linked statically, nothing is known
if $CC -static-pie -o "$directory/static" "$directory/executes.c" 2>/dev/null; then
	run 0 trace -q -c "$directory/static $TOY examples/toy/programs/queens.toy" \
		-n 'vm$target:::method-entry { printf("called\n"); exit(0); }'
	has out '^called$'
else
	echo "left out: a static program: $CC -static-pie does not work here"
fi
for way in auto stream; do
	# without a limit of time: it ends by itself
	VMTAP_DEBUG=target run 3 trace --via=$way -c "$directory/none" -n 'vm$target:::gc-end'
	has err "/none neither is a VM nor loads or executes one"
	has err 'serves no event stream'
	has err "'vmtap flame -o FILE -- $directory/none' shows where its time goes"
	VMTAP_DEBUG=target run 3 trace --via=$way --seconds 1 -c "$directory/loads" -n 'vm$target:::gc-end'
	has err "/loads may load or execute a VM"
	run 0 trace -q --via=$way -c "$directory/executes $TOY examples/toy/programs/queens.toy" \
		-n 'vm$target:::method-entry { printf("called\n"); exit(0); }'
	has out '^called$'
done
run 3 heap -c "$directory/none"
run 3 heap --seconds 1 -c "$directory/loads"
run 3 record --lossless -c "$directory/none" -o "$directory/log"
run 3 record --lossless --seconds 1 -c "$directory/loads" -o "$directory/log"
[ ! -e "$directory/log" ] || fail "a log of nothing"
# names, in the verbs that wait for them
for verb in "trace -n vm*:::gc-end" "serve --listen 127.0.0.1:0" "top --plain" "flame -o $directory/file" \
	"record -o $directory/file" heap; do
	# shellcheck disable=SC2086
	run 3 $verb --wait "no_vm_$$" --seconds 1
	[ "$(cat "$directory/err")" = "vmtap: waiting for 'no_vm_$$'
vmtap: no VM of the name 'no_vm_$$' has served an event stream in that time" ] || fail "$verb --wait"
done
# a signal ends each of them while it waits
for verb in "trace -n vm*:::gc-end" "serve --listen 127.0.0.1:0" "top --plain" "flame -o $directory/file" \
	"record -o $directory/file" heap; do
	forget_output
	# shellcheck disable=SC2086
	"$VMTAP" $verb --wait "no_vm_$$" >"$directory/out" 2>"$directory/err" </dev/null &
	waiting=$!
	pids+=("$waiting")
	await "$verb does not wait" grep -q '^vmtap: waiting for' "$directory/err"
	kill -TERM "$waiting"
	wait "$waiting"
	[ $? = 143 ] || fail "$verb --wait has not ended by a signal"
done
# what is traced beside is traced at once, for the whole time
if [ "$(id -u)" = 0 ]; then
	run 0 trace -q -Z --seconds 1 -c "$directory/none" -n 'vm$target:::gc-end { } BEGIN { printf("begun\n"); }'
	has out '^begun$'
fi
exit 0
