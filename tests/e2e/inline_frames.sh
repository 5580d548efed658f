#!/bin/bash
# Functions that the compiler has put into others are frames of a picture: in programs of gcc and
# clang, of C and C++, with all DWARF versions, also where the debug information is in a file of its
# own. LLVM's addr2line finds the same at each address; GNU's misses some. What is damaged has no such
# frames. Names of C++ are as people write them.
# tests: src/usdt/elf/inline_frames.c
set -u
. tests/e2e/common

cat >"$directory/inlined.c" <<'END'
#include <stdlib.h>
volatile unsigned long sum;
static inline __attribute__((always_inline)) void inner(int count)
{
	for (int i = 0; i < count; i++)
		sum += (unsigned long)i;
}
static inline __attribute__((always_inline)) void middle(int count)
{
	inner(count);
	sum ^= 3;
}
__attribute__((noinline)) void outer(int count)
{
	middle(count);
	if (sum)
		inner(count / 2);
}
int main(int count, char **words)
{
	for (int i = 0; i < atoi(words[count - 1]); i++)
		outer(1000000);
}
END
cat >"$directory/sorts.cc" <<'END'
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>
struct thing {
	int number;
	std::string name;
	bool operator<(const thing &other) const { return number < other.number; }
};
int main(int count, char **words)
{
	std::map<int, std::vector<thing>> things;
	for (int i = 0; i < atoi(words[count - 1]); i++)
		things[i % 7].push_back({rand(), "thing"});
	for (auto &[key, list] : things)
		std::sort(list.begin(), list.end());
	return things[0].size() == 1;
}
END
show=$BUILD/tests/tools/show_inlined
$CC -O2 -g -o "$directory/inlined" "$directory/inlined.c" || fail "compiling"
"$show" "$directory/inlined" </dev/null
case $? in
0) ;;
3) echo "this build has no libdw" && exit 77 ;;
*) fail "the tool" ;;
esac

addresses() { # file: some addresses of its code
	objdump -h -j .text "$1" | awk '$2 == ".text" { print $4, $3 }' |
		python3 -c 'begin, size = (int(word, 16) for word in input().split())
for address in range(begin, begin + size, 3): print("%x" % address)' >"$directory/addresses"
}
# all functions at an address but the outermost one, which contains them
agrees() { # file
	addresses "$1"
	"$show" "$1" <"$directory/addresses" >"$directory/out" || fail "$1: status $?"
	llvm-addr2line -a -i -f -e "$1" <"$directory/addresses" | awk '
		/^0x[0-9a-f]+$/ { if (is_begun) print text; is_begun = 1; text = last = ""; next }
		!/:/ { if (last != "") text = text (text == "" ? "" : " ") last; last = $0; next }
		END { print text }' >"$directory/expected"
	cmp -s "$directory/out" "$directory/expected" ||
		fail "$1: $(diff "$directory/expected" "$directory/out" | head -n 6 | cut -c1-200)"
	[ "$(grep -c . "$directory/out")" -gt 10 ] || fail "$1: hardly anything is inlined"
}
if command -v llvm-addr2line >/dev/null; then
	for compiler in "$CC" gcc clang; do
		for version in 4 5; do
			$compiler -O2 -g -gdwarf-$version -o "$directory/of_version" "$directory/inlined.c" || fail "compiling"
			agrees "$directory/of_version"
		done
	done
else
	echo "left out: another tool's names: there is no llvm-addr2line"
fi
g++ -O2 -g -o "$directory/sorts" "$directory/sorts.cc" || fail "compiling"
if command -v llvm-addr2line >/dev/null; then
	agrees "$directory/sorts"
fi

# Damaged debug information: whatever comes, it ends in order.
addresses "$directory/sorts"
python3 - "$directory/sorts" "$directory/damaged" "$(objdump -h "$directory/sorts" |
	awk '$2 == ".debug_info" || $2 == ".debug_abbrev" || $2 == ".debug_rnglists" { print $6 ":" $3 }' | paste -sd' ')" <<'PYTHON'
import random, sys
content = open(sys.argv[1], "rb").read()
random.seed(1)
for number in range(40):
    damaged = bytearray(content)
    for part in sys.argv[3].split():
        begin, size = (int(word, 16) for word in part.split(":"))
        for _ in range(1 + number * 5):
            damaged[begin + random.randrange(size)] = random.randrange(256)
    open(f"{sys.argv[2]}{number}", "wb").write(damaged)
PYTHON
for ((i = 0; i < 40; i++)); do
	timeout 60 "$show" "$directory/damaged$i" <"$directory/addresses" >/dev/null 2>"$directory/err"
	status=$?
	[ "$status" = 0 ] || fail "damaged file $i: status $status"
done

need_kernel
run 0 flame --folded -o - -c "$directory/inlined 400"
has out '^_start;.*;main;outer;middle_\[i\];inner_\[i\] [0-9]+$'
has out '^_start;.*;main;outer;inner_\[i\] [0-9]+$'
run 0 flame --folded -o - -c "$directory/sorts 1500000"
if ! nm "$BUILD/vmtap" | grep -q cplus_demangle; then
	echo "left out: names of C++: this build has no libiberty"
else
	has out ';main;.*std::sort<.*>_\[i\];.*std::__introsort_loop<'
	has_not out '_Z[NS]'
	run 0 trace -q -n 'profile-997 /pid == $target/ { @[ufunc(arg1)] = count(); }' -c "$directory/sorts 1500000"
	has out ' sorts`void std::__introsort_loop<.*>\('
	run 0 trace -q -x mangled -n 'profile-997 /pid == $target/ { @[ufunc(arg1)] = count(); }' -c "$directory/sorts 1500000"
	has out ' sorts`_ZSt16__introsort_loop'
fi
# a recording has them, too; D's stacks are the machine's
run 0 record -o "$directory/log" -c "$directory/inlined 400"
run 0 flame --folded -o - "$directory/log"
has out '^_start;.*;main;outer;middle_\[i\];inner_\[i\] [0-9]+$'
run 0 trace -q --log "$directory/log" -n 'profile-97 { @[ustack(2)] = count(); }'
has out '^ +inlined`outer'
has out '^ +inlined`main'
has_not out '_\[i\]|inner|middle|0x0$'
objcopy --only-keep-debug "$directory/inlined" "$directory/inlined.debug" &&
	objcopy --strip-all --add-gnu-debuglink="$directory/inlined.debug" "$directory/inlined" "$directory/apart" ||
	fail "objcopy"
run 0 flame --folded -o - -c "$directory/apart 400"
has out '^_start;.*;main;outer;middle_\[i\];inner_\[i\] [0-9]+$'
$CC -O2 -o "$directory/without" "$directory/inlined.c" || fail "compiling"
run 0 flame --folded -o - -c "$directory/without 400"
has out '^_start;.*;main;outer [0-9]+$'
has_not out '_\[i\]'
exit 0
