#!/bin/bash
# vmtap list on files: columns, filters, several sites, details, JSON, exit status, and its
# messages for files that have no probes or are not ELF files.
# tests: src/cli/list.c src/usdt/elf/site.c
set -u
. tests/e2e/common

cat >"$directory/program.c" <<'C'
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
__extension__ unsigned short lang_gc__start_semaphore
	__attribute__((section(".probes"), visibility("hidden")));
__extension__ unsigned short lang_twice_semaphore
	__attribute__((section(".probes"), visibility("hidden")));
__extension__ unsigned short other_plain_semaphore
	__attribute__((section(".probes"), visibility("hidden")));
__attribute__((noinline)) void collect(int generation, const char *reason)
{
	STAP_PROBE2(lang, gc__start, generation, reason);
}
__attribute__((noinline)) void both(int a)
{
	STAP_PROBE1(lang, twice, a);
	STAP_PROBE1(lang, twice, a);
	STAP_PROBE(other, plain);
}
int main(int argc, char **argv)
{
	collect(argc, argv[0]);
	both(argc);
	return 0;
}
C
"$CC" -O2 -o "$directory/program" "$directory/program.c" || exit 77
"$CC" -O2 -c -o "$directory/program.o" "$directory/program.c"
echo 'int main(void) { return 0; }' >"$directory/plain.c"
"$CC" -o "$directory/plain" "$directory/plain.c"

# the layout is dtrace -l's, to the byte
run 0 list "$directory/program"
is_silent || fail "something on standard error"
cat >"$directory/wanted" <<'TEXT'
   ID   PROVIDER            MODULE                          FUNCTION NAME
    1       lang           program                           collect gc-start
    2       lang           program                              both twice (2 sites)
    3      other           program                              both plain
TEXT
diff "$directory/wanted" "$directory/out" || fail "the table"

# a stripped program still has its probes; an exported function its name
"$CC" -O2 -rdynamic -s -o "$directory/stripped" "$directory/program.c"
run 0 list -n gc-start "$directory/stripped"
has out '^    1       lang          stripped                           collect gc-start$'
strip -o "$directory/bare" "$directory/program"
run 0 list -n gc-start "$directory/bare"
has out '^    1       lang              bare                                   gc-start$'

# filters: globs, fields from the right, several filters (any may match); a name as in the note
rows() {
	local count
	count=$(($(wc -l <"$directory/out") - 1))
	[ "$count" = "$1" ] || fail "$count rows, expected $1"
}
run 0 list -P 'la*' "$directory/program" && rows 2
run 0 list -m program "$directory/program" && rows 3
run 0 list -m 'other:prog?am' "$directory/program" && rows 1
run 0 list -f both "$directory/program" && rows 2
run 0 list -f 'lang::both' "$directory/program" && rows 1
run 0 list -n '*c*' "$directory/program" && rows 2
run 0 list -n 'lang:program:collect:gc-*' "$directory/program" && rows 1
run 0 list -n 'gc__start' "$directory/program" && rows 1
run 0 list -n 'plain' -n 'gc-start' "$directory/program" && rows 2
run 0 list -n ':::twice' "$directory/program" && rows 1
run 1 list -n nothing "$directory/program"
has err 'no probe passes the filters'
run 2 list -n a:b:c:d:e "$directory/program"
run 2 list -P a:b "$directory/program"

# details
run 0 list -v "$directory/program"
has out 'site 2 of 2'
has out '^	Probe Description Attributes$'
has out 'Identifier Names: Unstable$'
has out 'file offset 0x[0-9a-f]+, nop$'
has out 'semaphore 0x[0-9a-f]+, file offset 0x[0-9a-f]+, writable, hidden$'
has out 'bpftrace, perf and gdb: gc__start$'
if [ "$(uname -m)" = x86_64 ]; then
	has out 'args\[0\]: int32_t -4@(%e|-?[0-9]+\(%rsp)'
	has out 'args\[1\]: uint64_t 8@(%r|-?[0-9]+\(%rsp)'
fi
has out '^	Argument Types$'
has out '^		args\[0\]: int32_t$'
# the names and types of arguments of providers that vmtap defines come from their definitions
run 0 list -v -n ruby:::hash-create -n ruby:::gc-mark-end "$TOY"
sed -n '/Argument Types/,/^$/p' "$directory/out" >"$directory/types"
printf '\tArgument Types\n\t\t%s\n\n' None >"$directory/expected"
printf '\tArgument Types\n\t\targs[0] length: long\n\t\targs[1] filename: char *\n\t\targs[2] lineno: int\n\n' \
	>>"$directory/expected"
cmp "$directory/types" "$directory/expected" || fail "types"
run 0 list -v "$directory/program.o"
has out 'address \.text.*\+?0x[0-9a-f]+, file offset 0x'
has out 'semaphore lang_twice_semaphore|semaphore \.probes'

# JSON
run 0 list --json "$directory/program"
python3 - "$directory/out" <<'PYTHON' || fail "JSON"
import json, sys
document = json.load(open(sys.argv[1]))
probes = {p["name"]: p for p in document["probes"]}
assert set(probes) == {"gc-start", "twice", "plain"}, probes
assert probes["gc-start"]["note_name"] == "gc__start"
assert probes["gc-start"]["function"] == "collect"
assert probes["gc-start"]["stability"]["arguments"] == "Unstable/Unstable/Common"
assert len(probes["twice"]["sites"]) == 2
site = probes["gc-start"]["sites"][0]
assert [a["size"] for a in site["arguments"]] == [4, 8]
assert [a["signed"] for a in site["arguments"]] == [True, False]
assert int(site["address"], 16) and int(site["offset"], 16)
assert site["semaphore"]["hidden"] is True
assert site["semaphore"]["symbol"] == "lang_gc__start_semaphore"
PYTHON

# several files; for one without probes it says why, which is no error if another has probes
run 0 list "$directory/program" "$directory/plain"
has err "no probes in $directory/plain: it was built without probes"
# a library that it is linked with has some
printf '#include <sys/sdt.h>\nvoid hit(void) { STAP_PROBE(mine, hit); }\n' >"$directory/probed.c"
printf 'void hit(void);\nint main(void) { hit(); }\n' >"$directory/linked.c"
$CC -shared -fPIC -o "$directory/libprobed.so" "$directory/probed.c" &&
	$CC -o "$directory/linked" "$directory/linked.c" -L"$directory" -lprobed -Wl,-rpath,"$directory" || fail "compiling"
run 1 list "$directory/linked"
has err "^vmtap: no probes in $directory/linked, but in a library that it is linked with: 'vmtap list $directory/libprobed.so'$"
run 1 list "$directory/plain"
run 1 list --json "$directory/plain"
python3 -c 'import json, sys; assert json.load(open(sys.argv[1])) == {"probes": []}' \
	"$directory/out" || fail "empty JSON"
objcopy -R .note.stapsdt "$directory/program" "$directory/removed"
run 1 list "$directory/removed"
has err 'notes have been removed'
objcopy --only-keep-debug "$directory/program" "$directory/debug"
run 0 list -n gc-start "$directory/debug"
has out 'collect gc-start$'

# files that are not ELF files: one line, exit 3
one_line() {
	run 3 list "$1"
	[ ! -s "$directory/out" ] || fail "$1: standard output"
	[ "$(wc -l <"$directory/err")" = 1 ] || fail "$1: not one line"
	has err "$2"
}
printf '#!/bin/sh\n' >"$directory/script"
one_line "$directory/script" 'a script'
one_line "$directory/program.c" 'not an ELF file'
: >"$directory/empty"
one_line "$directory/empty" 'an empty file'
one_line "$directory" 'a directory'
one_line "$directory/nonexistent" 'No such file'
mkfifo "$directory/fifo"
one_line "$directory/fifo" 'not a regular file'
head -c 5000 "$directory/program" >"$directory/cut"
one_line "$directory/cut" 'truncated'
head -c 20 "$directory/program" >"$directory/cut"
one_line "$directory/cut" 'truncated|not an ELF'
ar rc "$directory/archive.a" "$directory/program.o"
one_line "$directory/archive.a" 'archive'
run 3 list "$directory/program" "$directory/nonexistent"
has out 'gc-start'

# a hostile name cannot break the line
sed 's/gc__start/GC_NAME/g' "$directory/program.c" >"$directory/hostile.c"
"$CC" -O2 -o "$directory/hostile" "$directory/hostile.c"
perl -pi -e 's/GC_NAME\0/GC\n\e[\xffm\0/g' "$directory/hostile" 2>/dev/null ||
	sed -i 's/GC_NAME\x00/GC\x07\x1b[\xffm\x00/g' "$directory/hostile"
run 0 list "$directory/hostile"
[ "$(wc -l <"$directory/out")" = 4 ] || fail "a name broke its line"
grep -q $'\033' "$directory/out" && fail "an escape went through"
run 0 list --json "$directory/hostile"
python3 -m json.tool "$directory/out" >/dev/null || fail "JSON of a hostile name"

# output that cannot be written is a failure
if [ -w /dev/full ]; then
	"$VMTAP" list "$directory/program" >/dev/full 2>"$directory/err"
	[ $? = 3 ] || fail "a full disk"
	has err 'standard output'
fi

# usage
run 2 list
run 2 list --nonsense "$directory/program"
run 2 list -P
run 0 list --help
has out '^Examples:'
exit 0
