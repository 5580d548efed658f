#!/bin/bash
# "did you mean": for misspelt verbs, options, scripts, functions, variables, members, types and
# probes, and never something far from what was written. A probe that the target has in its USDT
# notes, but not in its event stream, is told apart from one that does not exist.
# tests: src/base/suggestion.c src/base/symbol_lookup.h
set -u
. tests/e2e/common

means() { # suggestion or "", then vmtap's arguments
	local wanted=$1
	shift
	"$VMTAP" "$@" >"$directory/out" 2>"$directory/err"
	if [ -n "$wanted" ]; then
		grep -qF -- "(did you mean $wanted?)" "$directory/err" || fail "$*: no suggestion $wanted"
	else
		grep -q 'did you mean' "$directory/err" && fail "$*: a suggestion"
	fi
}
clause() { # suggestion or "", clause
	means "$1" trace -n "$2"
}
means list lst
means trace trce
means '' frobnicate
means --lossless trace --losless -n BEGIN
means --json ps --jsn
means --validate log --valdiate=1 x
means '' trace --nothing -n BEGIN
means gc_pause trace gc_puase -p 1
means method_time scripts method-time
means '' scripts bogus
means quiet trace -x quite -n BEGIN
means bufsize trace -x buf_size=1 -n BEGIN
means '' trace -x nothing -n BEGIN
clause printf 'BEGIN { prinft("x"); }'
clause copyin 'BEGIN { trace(copy_in(0, 1)); }'
clause quantize 'BEGIN { @ = quantise(1); }'
clause '' 'BEGIN { frobnicate(1); }'
clause timestamp 'BEGIN { trace(timestmp); }'
clause probename 'BEGIN { trace(probe_name); }'
clause execname 'BEGIN { trace(EXECNAME); }'
clause count_x 'BEGIN { count_x = 1; trace(count_y); }'
clause '' 'BEGIN { x = 1; trace(y); }'
clause 'self->abcdef' 'BEGIN { self->abcdef = 1; trace(self->abcdfe); }'
clause 'this->abcdef' 'BEGIN { this->abcdef = 1; trace(this->abcdfe); }'
clause 'self->abcdef' 'BEGIN { self->abcdef[1] = 1; trace(self->abcdfe[1]); }'
clause '' 'BEGIN { self->abcdef = 1; trace(this->abcdfe); }'
clause @called 'BEGIN { @called = count(); printa(@caled); }'
clause psinfo_t 'BEGIN { trace(sizeof (psinf_t)); }'
clause pr_psargs 'BEGIN { trace(curpsinfo->pr_psarg); }'
clause members 'struct s { int members; }; struct s v; BEGIN { trace(v.member); }'
clause members 'struct s { int members; }; BEGIN { trace(offsetof(struct s, member)); }'
# types: tags and typedefs of the script, and of the kernel where it describes its types
for use in '((struct cuont *)1)->a' '*(struct cuont *)1' 'sizeof (struct cuont)' \
	'offsetof(struct cuont, a)' '(cuont *)1'; do
	clause 'struct count' "struct count { int a; }; BEGIN { trace($use); }"
done
clause 'struct count' 'struct count { int a; }; BEGIN { print((struct cuont *)1); }'
clause 'struct count' 'struct count { int a; }; BEGIN { trace((count *)1); }'
clause 'union count' 'struct coutn; union count { int a; }; BEGIN { trace(((union coutn *)1)->a); }'
clause '' 'struct count { int a; }; BEGIN { trace(((union cuont *)1)->a); }'
clause '' 'struct frobnicate; BEGIN { trace(((struct frobnicaet *)1)->a); }'
clause uint64_t 'BEGIN { trace((uint46_t)1); }'
clause uint64_t 'BEGIN { trace((uint46_t)pid); }'
clause uint64_t 'BEGIN { trace(*(uint46_t *)1); }'
clause pid_t 'self pid_tt x; BEGIN { }'
clause '' 'BEGIN { trace((frobnicate)1); }'
has err 'expected an operator: frobnicate is not a type, column'
echo 'pid_tt x; BEGIN { }' >"$directory/type.d"
means pid_t trace -s "$directory/type.d"
if [ -r /sys/kernel/btf/vmlinux ]; then
	clause 'struct task_struct' 'BEGIN { trace(((struct task_strct *)1)->pid); }'
	clause 'struct task_struct' 'BEGIN { trace((task_struct *)1); }'
	clause 'struct task_struct' 'BEGIN { trace((task_strcut *)1); }'
	clause pid 'BEGIN { trace(curthread->pdi); }'
else
	echo "left out: types of the kernel: it has no BTF"
fi
clause BEGIN 'BEGNI { }'
clause tick-1s 'tik-1s { }'
clause tick-10 'tcik-10 { }'
clause tick-100ms 'profile:::tick_100ms { }'
clause '' 'tik-1x { }'
clause '' 'vm$target:::tik-1s { }'
clause '' 'frob-1s { }'
# providers of any process, and their probes, also while there is none
clause 'ruby*' 'rubi*:::gc-mark-begin { }'
clause 'HaskellEvent*' 'HaskelEvent*:::gc-start { }'
clause '' 'pyht*:::function-entry { }'
clause '' 'ru?i*:::gc-mark-begin { }'
clause gc-start 'vm*:::gc-strat { }'
# bpftrace's names have their own hints
clause '' 'BEGIN { trace(nsecs); }'
has err 'D has timestamp'

# constructs of other languages, and mistakes that are common
mistaken() { # what the line says at its end, before the place; program
	clause '' "$2"
	grep -qF -- "$1, " "$directory/err" || fail "$2: not $1"
}
mistaken ' (D has @ = count( ))' 'BEGIN { @x++; }'
mistaken ' (D has @ = count( ))' 'BEGIN { @x[execname]++; }'
mistaken ' (D has @ = count( ))' 'BEGIN { @ = count(); --@; }'
mistaken ' (D has @ = sum( ))' 'BEGIN { @[execname] += 1; }'
mistaken ': assign it, @ = count( )' 'BEGIN { count(); }'
mistaken " 'count' may not be referenced as a scalar (a call is count( ))" 'BEGIN { @ = count; }'
mistaken " 'ustack' may not be referenced as a scalar (a call is ustack( ))" 'BEGIN { @[ustack] = count(); }'
mistaken ' (== compares)' 'BEGIN /execname = "sh"/ { }'
mistaken ' (strings have double quotes)' "BEGIN /execname == 'sh'/ { }"
mistaken ' (D has strjoin( ))' 'BEGIN { x = execname + "/"; }'
mistaken ' (D has strstr( ), not patterns)' 'BEGIN /execname ~ "sh"/ { }'
mistaken ' (D has copyinstr( ))' 'BEGIN { printf("%s", arg1); }'
mistaken ' (cast it to uintptr_t)' 'BEGIN { trace(copyinstr((char *)arg1)); }'
mistaken ' (use arg1)' '#pragma D option zdefs
	provider frob { probe frob(int, char *); }; frob1:::frob { trace(copyinstr(args[1])); }'
mistaken 'argument: pid_t' 'BEGIN { printf("%s", pid); }'
mistaken 'operator = can only be applied to a writable variable' 'BEGIN { pid = 1; }'

# ---- probes ----
toy() { # suggestion or "", probe
	means "$1" trace -n "$2" -c "$TOY examples/toy/programs/queens.toy"
}
# shellcheck disable=SC2016
{
	toy gc-start 'vm$target:::gc-strat'
	toy method-entry 'vm$target:::methd-entry'
	toy '' 'vm$target:::nothing-like-it'
	toy ruby 'rubi$target:::gc-mark-begin'
}

# ---- probes that the stream does not carry ----
cat >"$directory/vm.c" <<'VM'
#include <sys/sdt.h>
#include <unistd.h>
#include "vmtap.h"

int main(void)
{
	vmtap_start(NULL);
	VMTAP_STARTUP(1);
	DTRACE_PROBE1(other, only__noted, 1);
	pause();
}
VM
sanitize=${VMTAP_SANITIZED:+-fsanitize=address,undefined}
# shellcheck disable=SC2086
$CC $sanitize -o "$directory/vm" -Iinclude -I"$BUILD/include" "$directory/vm.c" -L"$BUILD" -lvmtap_probes \
	-l:libvmtap.a -pthread || fail "compiling"
"$directory/vm" &
pid=$!
pids+=("$pid")
for ((i = 0; i < 500; i++)); do
	"$VMTAP" trace -l -n "vm$pid:::startup" -p "$pid" >/dev/null 2>&1 && break
done
# shellcheck disable=SC2016
run 1 trace --via=stream -n 'other$target:::only-noted' -p "$pid"
has err 'does not match any probes'
has err "^vmtap: process $pid has probe other:::only-noted, but its event stream does not carry it: "
# shellcheck disable=SC2016
run 1 trace -n 'other$target:::not-even-that' -p "$pid"
has_not err 'does not carry'
exit 0
