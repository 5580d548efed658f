#!/bin/bash
# The stubs by which a program calls functions of libraries have names, as objdump shows them: in
# programs of several compilers and linkers, stripped, with and without room for indirect branch
# tracking.
# tests: src/usdt/elf/function.c
set -u
. tests/e2e/common

cat >"$directory/calls.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
int main(int count, char **words)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%s %d\n", getenv("HOME"), count);
	return atoi(words[0]) + (int)strlen(strrchr(words[0], '/')) + puts(words[0]) + (int)now.tv_nsec + rand();
}
END
agrees() { # file
	"$BUILD/tests/tools/show_stubs" "$1" >"$directory/out" || fail "$1: status $?"
	LC_ALL=C objdump -d -j .plt -j .plt.sec "$1" 2>/dev/null |
		sed -nE 's/^0*([0-9a-f]+) <([^*>]+@plt)>:$/\1 \2/p' | sed -E 's/@[A-Z0-9_.]+@plt/@plt/' >"$directory/expected"
	# what objdump does not name is not compared
	while read -r address name; do
		grep -qx "$address $name" "$directory/out" || fail "$1: $name at $address: $(grep "^$address " "$directory/out")"
	done <"$directory/expected"
	[ "$(grep -c . "$directory/expected")" -ge 5 ] || fail "$1: objdump names few"
	! grep -vE '^[0-9a-f]+ [A-Za-z0-9_]+@plt$' "$directory/out" || fail "$1: other lines"
}
for options in '' '-no-pie' '-Wl,-z,now' '-fcf-protection=full' '-fcf-protection=full -Wl,-z,ibtplt' '-s'; do
	# shellcheck disable=SC2086
	$CC -O1 $options -o "$directory/calls" "$directory/calls.c" 2>/dev/null || continue
	agrees "$directory/calls"
done
if command -v clang >/dev/null && command -v ld.lld >/dev/null; then
	clang -O1 -fuse-ld=lld -o "$directory/calls" "$directory/calls.c" || fail "compiling"
	agrees "$directory/calls"
else
	echo "left out: lld: there is no clang or no ld.lld"
fi
exit 0
