#!/bin/bash
# vmtap diff: what counts as a change between two builds, and what only with -v.
# tests: src/cli/check/diff.c src/cli/check/diff_report.c
set -u
. tests/e2e/common
same() {
	diff "$directory/wanted" "$directory/out" || fail "$1"
}

# build NAME BODY: a program with these sites
build() {
	cat >"$directory/$1.c" <<C
#ifdef GUARDED
#define _SDT_HAS_SEMAPHORES 1
#endif
#include <sys/sdt.h>
#ifdef GUARDED
__extension__ unsigned short vm_kept_semaphore __attribute__((section(".probes")));
#endif
__attribute__((noinline)) void fire(int a, unsigned short b, char *c, long d)
{
	__asm__ volatile("" : : "r"(a), "r"((int)b), "r"(c), "r"(d));
	$2
}
int main(int argc, char **argv)
{
	fire(argc, (unsigned short)argc, argv[0], argc);
	return 0;
}
C
	"$CC" ${3:--O2} -o "$directory/$1" "$directory/$1.c" || exit 77
}

build old 'STAP_PROBE2(vm, kept, a, c); STAP_PROBE1(vm, gone, b); STAP_PROBE2(vm, sized, a, d);
	STAP_PROBE(vm, more); STAP_PROBE1(vm, longer__name, a);'
build other_place 'STAP_PROBE1(vm, longer__name, a); STAP_PROBE(vm, more);
	STAP_PROBE2(vm, sized, a, d); STAP_PROBE1(vm, gone, b); STAP_PROBE2(vm, kept, a, c);' -O0
build new 'STAP_PROBE2(vm, kept, a, c); STAP_PROBE3(vm, fresh, a, b, d); STAP_PROBE2(vm, sized, a, b);
	STAP_PROBE(vm, more); STAP_PROBE(vm, more); STAP_PROBE2(vm, longer__name, a, c);'

# the same probes at other addresses and in other registers do not count as a difference
run 0 diff "$directory/old" "$directory/old"
[ ! -s "$directory/out" ] || fail "output without a difference"
run 0 diff "$directory/old" "$directory/other_place"
run 1 diff -v "$directory/old" "$directory/other_place"
grep -q '^! vm:::kept: operands: were "' "$directory/out" || fail "-v shows no operands"

run 1 diff "$directory/old" "$directory/new"
cat >"$directory/wanted" <<'TEXT'
+ vm:::fresh(int32_t, uint16_t, int64_t)
- vm:::gone(uint16_t)
! vm:::longer-name: arguments: were (int32_t), are (int32_t, uint64_t)
! vm:::more: sites: were 1, are 2
! vm:::sized: argument 2: was int64_t, is uint16_t
TEXT
same "the differences"
run 1 diff --json "$directory/old" "$directory/new"
python3 - "$directory/out" <<'PYTHON' || fail "JSON"
import json, sys
changes = json.load(open(sys.argv[1]))["changes"]
assert [(c["change"], c["probe"], c.get("what")) for c in changes] == [
    ("added", "fresh", None), ("removed", "gone", None), ("changed", "longer-name", "arguments"),
    ("changed", "more", "sites"), ("changed", "sized", "arguments")], changes
PYTHON
run 0 diff --json "$directory/old" "$directory/old"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1])) == {"changes": []}' \
	"$directory/out" || fail "empty JSON"

# a guard that was added, and one that was removed
build plain 'STAP_PROBE(vm, kept);'
build guarded 'STAP_PROBE(vm, kept);' '-O2 -DGUARDED'
run 1 diff "$directory/plain" "$directory/guarded"
echo '! vm:::kept: semaphore: had none, has one' >"$directory/wanted"
same "a new semaphore"
run 1 diff "$directory/guarded" "$directory/plain"
echo '! vm:::kept: semaphore: had one, has none' >"$directory/wanted"
same "a lost semaphore"

# the instruction at the site
if [ "$(uname -m)" = x86_64 ]; then
	cat >"$directory/nop5.c" <<'C'
#include <sys/sdt.h>
#undef _SDT_NOP
#define _SDT_NOP .4byte 0x00441f0f; .byte 0
int main(void)
{
	STAP_PROBE(vm, kept);
	return 0;
}
C
	"$CC" -O2 -o "$directory/nop5" "$directory/nop5.c"
	run 1 diff "$directory/plain" "$directory/nop5"
	echo '! vm:::kept: instruction: was nop, is lone 5-byte nop (unsafe)' >"$directory/wanted"
	same "another instruction"
fi

# in a build without probes, all have been removed
echo 'int main(void) { return 0; }' >"$directory/none.c"
"$CC" -o "$directory/none" "$directory/none.c"
run 1 diff "$directory/plain" "$directory/none"
echo '- vm:::kept()' >"$directory/wanted"
same "no probes left"
grep -q "no probes in $directory/none" "$directory/err" || fail "no reason given"

run 3 diff "$directory/old" "$directory/nonexistent"
run 3 diff "$directory/none.c" "$directory/old"
run 2 diff "$directory/old"
run 2 diff --nonsense "$directory/old" "$directory/new"
run 0 diff --help
exit 0
