#!/bin/bash
# vmtap check --live: a VM that fires all of its probes rightly passes, each flaw of one that does
# not is found and named, and the command's own output and status do not get in the way.
# tests: src/cli/check/check_live.c src/contract/promise.c
set -u
. tests/e2e/common
export TMPDIR=$directory

cat >"$directory/all.sh" <<'E'
for program in tests/toy/probes/*.toy; do
	"$TOY" $(sed -n 's/^# options: //p' "$program") "$program" </dev/null 2>/dev/null
done
exit 0
E
run 0 check --live -c "bash $directory/all.sh"
[ -s "$directory/out" ] && fail "the toy does not pass"
run 0 check --live --contract probes/vm.d -- bash "$directory/all.sh"
[ -s "$directory/out" ] && fail "the toy does not pass its contract"

# several VMs in one process: whose a capability is, and that its numbers are not another's
instances="$TOY --caps=2 tests/toy/probes/cap-create.toy"
run 0 trace -q -c "$instances" -n 'cap-create { @caps[arg1, copyinstr(arg2)] = count(); @all[arg0] = count(); }
	thread-create { @threads[arg1] = count(); }
	END { printa("%d %s %@d\n", @caps); printa("cap %d %@d\n", @all); printa("thread %d %@d\n", @threads); }'
for expected in '0 main 2' '1 one 2' '2 two 2' '3 last 2' '4 last 2'; do
	has out "^$expected$"
done
[ "$(grep -c '^cap [0-9] 1$' "$directory/out")" = 10 ] || fail "capabilities of several VMs: $(cat "$directory/out")"
grep -q '^thread 14 1$' "$directory/out" && ! grep -qE '^thread [0-9]+ [2-9]' "$directory/out" ||
	fail "threads of several VMs: $(cat "$directory/out")"

flags="-std=gnu11 -O1 -g -Iinclude -I$BUILD/include"
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=" -fsanitize=address,undefined"
$CC $flags -o "$directory/flawed" tests/shim/flawed.c "$BUILD/libvmtap.a" -pthread || fail "not built"
flawed=$directory/flawed

# What it never fires, in a file with comments.
{
	echo '# not in this VM'
	"$VMTAP" check --live -- "$flawed" 2>/dev/null | sed -n 's/.*: vm:::\(.*\): never fired/\1/p'
} >"$directory/absent.txt"
[ "$(wc -l <"$directory/absent.txt")" -gt 50 ] || fail "more is fired than the VM has"
run 0 check --live --allow-missing "$directory/absent.txt" -c "$flawed"
[ -s "$directory/out" ] && fail "what is allowed is reported"
has err "^the program's own output" # standard output has the findings alone

found() { # FLAW... on one line; the findings come from standard input, NN for each time
	local without=$1
	shift
	grep -vxE "$without" "$directory/absent.txt" >"$directory/absent.now"
	run 1 check --live -a "$directory/absent.now" -c "$flawed $*"
	sed -E "s|^$flawed: ||; s/process [0-9]+/process N/; s/time [0-9]+/time T/g" "$directory/out" >"$directory/seen"
	diff - "$directory/seen" || fail "findings of $*"
}
found 'native-entry' no-return <<'F'
flawed: process N: time T: thread 2: method Class#run ends, and native method Class#inner, which began in it at time T, has not ended
F
found 'none' open <<'F'
flawed: process N: time T: thread 3: the VM has ended, and method Class#run, which began at time T, has not ended
F
found 'thread-park' park <<'F'
flawed: process N: time T: thread 4: the VM has ended, and wait, which began at time T, has not ended
F
found 'none' pause <<'F'
flawed: process N: time T: capability 1: pause ends, and collection, which began in it at time T, has not ended
F
found 'none' phase <<'F'
flawed: process N: time T: capability 2: phase mark ends, and phase sweep, which began in it at time T, has not ended
F
found 'finalize-.*' finalizer <<'F'
flawed: process N: time T: the VM has ended, and a finalizer has begun without ending, 1 in all
F
found 'object-create' empty <<'F'
vm:::object-create: argument 1: class is empty in 1 of 2 events
F
found 'raise' line <<'F'
vm:::raise: line is 0 in 1 of 2 events, although the file is not "(native)"
F
# Not all findings of one kind are shown.
grep -vxE 'native-.*' "$directory/absent.txt" >"$directory/absent.now"
run 1 check --live -a "$directory/absent.now" -- "$flawed" many
[ "$(grep -c 'method Class#run ends, and native method Class#inner' "$directory/out")" = 50 ] || fail "not 50"
has out 'process [0-9]+: and 10 more that do not nest$'

# What is allowed to be missing must exist, and must be missing.
run 1 check --live -a "$directory/absent.txt" -a vm:::startup,gc-nothing -c "$flawed"
has out ': vm:::startup: fired, but --allow-missing lists it$'
has out ': --allow-missing lists gc-nothing, and there is no such probe$'
[ "$(wc -l <"$directory/out")" = 2 ] || fail "other findings"

# A contract of a VM's own promises.
echo 'provider vm { probe startup(uint16_t caps); probe gc__idle(uint16_t cap); };' >"$directory/own.d"
run 1 check --live --contract "$directory/own.d" -c "$flawed"
sed "s|^$flawed: ||" "$directory/out" >"$directory/seen"
diff - "$directory/seen" <<<'vm:::gc-idle: never fired' || fail "with a contract"

# A provider of the VM's own: its names are known from the stream.
cat >"$directory/mine.d" <<'D'
provider mine {
	/*
	 * Fires.
	 * @cache [name] which
	 * @text [text] may be empty
	 * @line may be 0
	 */
	probe looked(char *cache, char *text, int line);
};
D
cat >"$directory/mine.c" <<'C'
#include "mine_probes.h"
int main(void)
{
	static struct vmtap_name cache = VMTAP_NAME("inline");
	vmtap_start(NULL);
	VMTAP_STARTUP(1);
	MINE_LOOKED(&cache, "", 0);
	MINE_LOOKED(NULL, "text", 0);
	vmtap_stop();
	return 0;
}
C
run 0 generate -d "$directory" "$directory/mine.d"
$CC $flags -I"$directory" -o "$directory/mine" "$directory/mine.c" "$directory/mine_probes.c" "$BUILD/libvmtap.a" -pthread ||
	fail "mine is not built"
"$VMTAP" check --live -- "$directory/mine" 2>/dev/null | sed -n 's/.*: vm:::\(.*\): never fired/\1/p' >"$directory/absent.now"
run 1 check --live -a "$directory/absent.now" -c "$directory/mine"
sed "s|^$directory/mine: ||" "$directory/out" >"$directory/seen"
diff - "$directory/seen" <<<'mine:::looked: argument 1: cache is empty in 1 of 2 events' || fail "an own provider's names"

run 1 check --live --json -a "$directory/absent.txt" -c "$flawed empty line park"
python3 - "$directory/out" <<'P' || fail "--json"
import json, sys
findings = json.load(open(sys.argv[1]))["findings"]
kinds = sorted((f["kind"], f["probe"]) for f in findings if f["kind"] not in ("allowed-missing", "nesting"))
assert kinds == [("line", "raise"), ("name", "object-create")], kinds
assert [f["provider"] for f in findings if f["kind"] == "nesting"] == [None], findings
assert sorted(f["probe"] for f in findings if f["kind"] == "allowed-missing") == [
    "object-create", "raise", "thread-park"], findings
assert all(set(f) == {"binary", "kind", "provider", "probe", "text"} for f in findings)
P

# The command's end: a status is told, a signal is a finding, a VM without a stream cannot be checked.
echo shutdown >"$directory/more.txt"
run 0 check --live -a "$directory/absent.txt" -a "$directory/more.txt" -c "$flawed fail"
has err '^vmtap: .*flawed has ended with status 3$'
run 1 check --live -a "$directory/absent.txt" -c "$flawed kill"
has out ': was killed by signal 9 \(Killed\)$'
run 3 check --live -c "$flawed silent"
has err 'no process has served its events: does the VM call vmtap_start\(\)\?$'
run 3 check --live -c "$directory/missing"
has err '^vmtap: .*/missing: No such file or directory$'
run 3 check --live -a "$directory/none.txt" -c "$flawed"
has err 'none.txt: No such file or directory$'
run 2 check --live
has err '[-]-live needs a command'
run 2 check --live -c "$flawed" extra
run 2 check --live -c "'"
[ -z "$(ls -d "$directory"/vmtap-check-* 2>/dev/null)" ] || fail "files are left"
exit 0
