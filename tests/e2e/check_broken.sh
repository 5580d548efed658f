#!/bin/bash
# vmtap check finds each broken promise in binaries made by real compilers, assemblers and
# linkers; options, output and exit status.
# tests: src/cli/check/check.c src/usdt/elf/contract_check.c
set -u
. tests/e2e/common
if [ "$(uname -m)" != x86_64 ]; then
	echo "the assembly here is x86-64's"
	exit 77
fi
count() {
	[ "$(wc -l <"$directory/out")" = "$1" ] || {
		cat "$directory/out" >&2
		fail "not $1 findings"
	}
}

cat >"$directory/vm.d" <<'D'
provider vm {
	probe start(int count, char *name);
	probe stop(void);
};
D

# One site, in assembly: file, bytes of the site, semaphore's section and symbol, operands.
assemble() {
	local file=$1 site=$2 section=$3 visibility=$4 operands=$5 extra=${6:-}
	cat >"$directory/$file.s" <<ASSEMBLY
	.text
	.globl main
	.type main, @function
main:
	xorl %eax, %eax
990:	$site
	ret
	.size main, . - main
991:	nop
	nop
	ret
	.section .note.stapsdt, "", "note"
	.balign 4
	.4byte 992f-991f, 994f-993f, 3
991:	.asciz "stapsdt"
992:	.balign 4
993:	.8byte 990b
	.8byte ${BASE:-_.stapsdt.base}
	.8byte vm_start_semaphore
	.asciz "vm"
	.asciz "start"
	.asciz "$operands"
994:	.balign 4
	.section .stapsdt.base, "aG", "progbits", .stapsdt.base, comdat
	.weak _.stapsdt.base
	.hidden _.stapsdt.base
_.stapsdt.base:
	.space 1
	.size _.stapsdt.base, 1
	.section $section
	.globl vm_start_semaphore
	$visibility
	.type vm_start_semaphore, @object
	.size vm_start_semaphore, 2
vm_start_semaphore:
	.zero 2
$extra
	.section .note.GNU-stack, "", @progbits
ASSEMBLY
	"$CC" -c -o "$directory/$file.o" "$directory/$file.s" || fail "$file does not assemble"
	"$CC" -pie -o "$directory/$file" "$directory/$file.o" || fail "$file does not link"
}
hidden='.hidden vm_start_semaphore'
good='-4@%edi 8@%rsi'
nop10='.byte 0x90, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0'

# check FILE FINDING: expects this finding and no other
finds() {
	run 1 check -c "$directory/vm.d" --allow-missing=stop "$directory/$1"
	has out "^$directory/$1: vm:::start: $2"
	count 1
}

assemble kept "$nop10" '.probes, "aw"' "$hidden" "$good"
run 0 check -c "$directory/vm.d" --allow-missing=stop "$directory/kept" "$directory/kept.o"
[ ! -s "$directory/out" ] && [ ! -s "$directory/err" ] || fail "output without a finding"

assemble nop5 '.byte 0x0f, 0x1f, 0x44, 0, 0' '.probes, "aw"' "$hidden" "$good"
finds nop5 'site 0x[0-9a-f]+ is a lone 5-byte nop, which is unsafe'
finds nop5.o 'site \.text\+0x2 is a lone 5-byte nop, which is unsafe'
assemble call 'call main' '.probes, "aw"' "$hidden" "$good"
finds call 'site 0x[0-9a-f]+ is not a nop that tracers expect'
assemble global "$nop10" '.probes, "aw"' '' "$good"
finds global 'semaphore 0x[0-9a-f]+ \(vm_start_semaphore\) is neither hidden nor local'
finds global.o 'semaphore vm_start_semaphore is neither hidden nor local'
assemble readonly "$nop10" '.rodata' "$hidden" "$good"
finds readonly 'semaphore 0x[0-9a-f]+ is in a segment that is not writable'
assemble code "$nop10" '.text' "$hidden" "$good"
finds code 'semaphore 0x[0-9a-f]+ is in a segment that is not writable'
assemble bss "$nop10" '.bss' "$hidden" "$good" '	.zero 65536'
finds bss 'semaphore 0x[0-9a-f]+ is not in the file'
assemble size "$nop10" '.probes, "aw"' "$hidden" '-8@%rdi 8@%rsi'
finds size 'argument 1: contract says int, site 0x[0-9a-f]+ has -8@%rdi$'
assemble sign "$nop10" '.probes, "aw"' "$hidden" '4@%edi 8@%rsi'
finds sign 'argument 1: contract says int, site 0x[0-9a-f]+ has 4@%edi$'
assemble few "$nop10" '.probes, "aw"' "$hidden" '-4@%edi'
finds few 'contract says 2 arguments, site 0x[0-9a-f]+ has 1$'
assemble symbol "$nop10" '.probes, "aw"' "$hidden" '-4@%edi 8@names+8(%rip)'
finds symbol 'argument 2: site 0x[0-9a-f]+ has the symbol-relative operand names\+8\(%rip\)'
assemble high "$nop10" '.probes, "aw"' "$hidden" '-4@%dh 8@%rsi'
finds high 'argument 1: site 0x[0-9a-f]+ has the operand %dh, which libbpf cannot decode'
BASE=0 assemble base "$nop10" '.probes, "aw"' "$hidden" "$good"
finds base 'site 0x[0-9a-f]+ has base 0: tracers compute wrong addresses'
BASE=main assemble wrongbase "$nop10" '.probes, "aw"' "$hidden" "$good"
# in this case, the addresses that tracers compute are wrong too
run 1 check -c "$directory/vm.d" -a stop "$directory/wrongbase"
has out 'vm:::start: site 0x[0-9a-f]+ has base 0x[0-9a-f]+, but \.stapsdt\.base is at 0x'
assemble permitted "$nop10" '.probes, "aw"' "$hidden" "$good"
# patch the program header of the text: from r-x to r--
python3 - "$directory/permitted" <<'PYTHON'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
offset, = struct.unpack_from("<Q", data, 32)
size, count = struct.unpack_from("<HH", data, 54)
for i in range(count):
    kind, flags = struct.unpack_from("<II", data, offset + i * size)
    if kind == 1 and flags == 5:
        struct.pack_into("<I", data, offset + i * size + 4, 4)
open(sys.argv[1], "wb").write(data)
PYTHON
# a note outside code is none: linkers keep those of functions that they drop
run 1 check -c "$directory/vm.d" -a stop "$directory/permitted"
has out 'vm: missing: none of the [0-9]+ probes is there: its notes name no code'
run 1 list "$directory/permitted"
has_not out start

# sys/sdt.h alone: a constant is typed, a global is symbol-relative, no semaphore
cat >"$directory/plain.c" <<'C'
#include <sys/sdt.h>
int count = 7;
int main(int argc, char **argv)
{
	STAP_PROBE2(vm, start, count, argv[0]);
	STAP_PROBE2(vm, start, argc, argv[0]);
	STAP_PROBE(vm, other);
	return 0;
}
C
"$CC" -O2 -fPIE -pie -o "$directory/plain" "$directory/plain.c"
run 1 check -c "$directory/vm.d" "$directory/plain"
has out 'vm:::start: site 0x[0-9a-f]+ has no semaphore: tracers cannot open its guard'
# gcc uses the global itself as operand, clang a copy of it
if "$CC" --version | grep -q 'Free Software'; then
	has out 'vm:::start: argument 1: site 0x[0-9a-f]+ has the symbol-relative operand count\(%rip\)'
fi
has out 'vm:::stop: missing: the contract declares it'
has out 'vm:::other: is there, but the contract does not declare it'
# lld with --gc-sections drops the base if nothing refers to it
if command -v ld.lld >/dev/null &&
	"$CC" -O2 -fuse-ld=lld -Wl,--gc-sections -o "$directory/collected" "$directory/plain.c" \
		2>/dev/null; then
	run 1 check -c "$directory/vm.d" "$directory/collected"
	has out 'vm: the section \.stapsdt\.base is missing|vm:::start: site .* has base 0'
else
	echo "left out: a base that lld drops: there is no ld.lld"
fi

# --allow-missing: lists, repeats, full names; a probe that is not missing; an unknown probe
run 1 check -c "$directory/vm.d" "$directory/kept"
has out "^$directory/kept: vm:::stop: missing"
run 0 check -c "$directory/vm.d" -a vm:::stop "$directory/kept"
run 1 check -c "$directory/vm.d" --allow-missing=stop,start "$directory/kept"
has out 'vm:::start: is listed as allowed to be missing, but it is there'
count 1
run 1 check -c "$directory/vm.d" -a stop -a start "$directory/kept"
count 1
run 2 check -c "$directory/vm.d" -a nonsense "$directory/kept"
has err "no probe 'nonsense'"

# JSON
run 1 check --json --contract "$directory/vm.d" "$directory/size" "$directory/kept"
python3 - "$directory/out" "$directory" <<'PYTHON' || fail "JSON"
import json, sys
findings = json.load(open(sys.argv[1]))["findings"]
kinds = [(f["binary"], f["kind"], f["probe"]) for f in findings]
size, kept = sys.argv[2] + "/size", sys.argv[2] + "/kept"
assert kinds == [(size, "arguments", "start"), (size, "missing", "stop"),
                 (kept, "missing", "stop")], kinds
assert findings[0]["argument"] == 1 and int(findings[0]["site"], 16) > 0
PYTHON
run 0 check --json -c "$directory/vm.d" -a stop "$directory/kept"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1])) == {"findings": []}' \
	"$directory/out" || fail "empty JSON"

# a process
cat >"$directory/wait.c" <<'C'
#include <stdio.h>
#include <sys/sdt.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	STAP_PROBE2(vm, start, argc, argv[0]);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
C
"$CC" -O2 -o "$directory/wait" "$directory/wait.c"
exec {reader}< <(exec "$directory/wait")
pids+=($!)
read -r -t 60 -u "$reader" line && [ "$line" = ready ] || fail "a process did not start"
run 1 check -c "$directory/vm.d" -a stop "${pids[0]}"
has out "^$directory/wait: vm:::start: site 0x[0-9a-f]+ has no semaphore"

# requests that cannot be met, and wrong usage
run 3 check -c "$directory/nonexistent.d" "$directory/kept"
run 3 check -c "$directory/plain.c" "$directory/kept"
has err 'plain.c: line [0-9]+, column [0-9]+: '
run 3 check -c "$directory/vm.d" "$directory/nonexistent"
run 3 check -c "$directory/vm.d" -a stop "$directory/kept" "$directory/vm.d"
has err 'vm.d: not an ELF file'
run 2 check "$directory/kept"
run 2 check -c "$directory/vm.d"
run 2 check -c "$directory/vm.d" --nonsense "$directory/kept"
run 0 check --help
exit 0
