#!/bin/bash
# vmtap generate: code for a provider of one's own compiles everywhere without a warning, its probes
# cost two instructions, work in executables, libraries and extensions, beside provider vm and other
# own ones, and every verb knows them without the definition, also in a recording.
# tests: src/cli/generate.c src/contract/generator_own.c src/contract/generator_document.c
set -u
. tests/e2e/common
sanitize=
[ "${VMTAP_SANITIZED:-0}" = 1 ] && sanitize="-fsanitize=address,undefined"
I="-Iinclude -I$BUILD/include -I$directory"
run 0 generate -d "$directory" examples/provider/tiny.d
[ ! -s "$directory/out" ] || fail "generate writes to standard output"

# names and comments that C or its compilers would take for something else
cat >"$directory/odd.d" <<D
enum odd_kind { ODD_NONE = -1, ODD_SOME = 5 };
typedef enum odd_kind odd_kind_t;
provider odd {
	/*
	 * Is this a comment's end: ??/
	 * and this \\
	 * $(printf '\342\200\256 \377 \033[31m \001') * /
	 * @errno [text] ??/
	 */
	probe words(int class, int class_, int NULL, int uint32_t, int odd_words_semaphore, int _Bool,
		int __func__, int ODD_WORDS_ENABLED, int INT32_MAX, char *errno);
	probe more(enum odd_kind kind, odd_kind_t defined, int __VA_ARGS__, int linux, int vmtap,
		int odd_more_semaphore, int listed_more, uint64_t uint64_t);
};
D
cat >"$directory/odd.c" <<'C'
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include "odd_probes.h"
int main(void)
{
	vmtap_start(NULL);
	ODD_WORDS(1, 2, 3, 4, 5, 6, 7, 8, 9, "ten");
	ODD_MORE(ODD_MORE_ENABLED() ? -1 : 5, 5, 3, 4, 5, 6, 7, 8);
	vmtap_stop();
	return 0;
}
C
run 0 generate -d "$directory" "$directory/odd.d"

# compilers, standards, warnings
warnings="-Wall -Wextra -Wpedantic -Werror"
tried=0
for compiler in "gcc -std=c11" "gcc -std=gnu17" "clang -std=c11" "clang -std=gnu17" \
	"g++ -std=c++17 -x c++" "clang++ -std=c++17 -x c++"; do
	command -v "${compiler%% *}" >/dev/null || { echo "left out: $compiler: not installed" && continue; }
	tried=$((tried + 1))
	$compiler -O2 $warnings $I -c -o "$directory/all.o" "$directory/odd.c" &&
		$compiler -O2 $warnings $I -c -o "$directory/all.o" "$directory/odd_probes.c" || fail "$compiler: odd names"
	for level in -O0 -O2; do
		$compiler $level $warnings $I -c -o "$directory/all.o" "$directory/tiny_probes.c" ||
			fail "$compiler $level: tiny_probes.c"
		case $compiler in *c++*) ;; *)
			$compiler $level $warnings $I -c -o "$directory/all.o" examples/provider/tiny.c ||
				fail "$compiler $level: tiny.c"
			$compiler $level $warnings $I -DVMTAP_DISABLE -o "$directory/none" examples/provider/tiny.c \
				"$directory/tiny_probes.c" || fail "$compiler $level: -DVMTAP_DISABLE"
			"$directory/none" || fail "$compiler $level: -DVMTAP_DISABLE does not run"
			! readelf -n "$directory/none" | grep -q stapsdt || fail "-DVMTAP_DISABLE leaves sites" ;;
		esac
	done
done
[ "$tried" -gt 0 ] || { echo "no compiler for it"; exit 77; }

# linked statically, shared, and with optimization at link time
grep -v 'vmtap_st' examples/provider/tiny.c >"$directory/bare.c" # no stream
build() { # name, flags, libraries
	local source=examples/provider/tiny.c
	[ "$1" != bare ] || source=$directory/bare.c
	$CC -O2 -g $sanitize $I $2 -o "$directory/$1" "$source" "$directory/tiny_probes.c" $3 ||
		fail "$1 is not built"
}
build static "" "$BUILD/libvmtap.a -pthread"
build shared "" "$BUILD/libvmtap_probes.a -L$BUILD -lvmtap -Wl,-rpath,$PWD/$BUILD"
build lto "-flto -ffunction-sections -fdata-sections -Wl,--gc-sections" "$BUILD/libvmtap.a -pthread"
build bare "" "$BUILD/libvmtap_probes.a"
for program in static shared lto bare; do
	run 0 check --contract examples/provider/tiny.d "$directory/$program"
	run 0 list "$directory/$program"
	[ "$(awk 'NR > 1 { print $2 ":::" $NF }' "$directory/out" | sort | tr '\n' ' ')" = \
		"tiny:::lookup tiny:::note tiny:::stack-grow " ] || fail "$program has other probes"
	"$directory/$program" || fail "$program does not run"
	[ $program = bare ] && continue
	run 0 trace --via stream -q -c "$directory/$program 1000" -n '
		tiny$target:::lookup { @[args[0]->outcome] = count(); @kinds[args[0]->kind == TINY_MISS] = count(); }
		tiny*:::lookup { @methods[copyinstr(arg1), arg2] = count(); }
		tiny*:::note { @notes[copyinstr(arg0)] = count(); }
		tiny*:::stack-grow /arg0/ { @bytes = sum(arg1); }
		END { printa("%s %@d\n", @); printa("%d %@d\n", @kinds); printa("%s %d %@d\n", @methods);
			printa("%s %@d\n", @notes); printa("%@d\n", @bytes); }'
	[ "$(grep . "$directory/out" | LC_ALL=C sort | tr '\n' ';')" = "0 666;1 334;1920;add 12 249;begins 1;call 13 249;ends 1;hit 666;miss 334;pop 11 250;push 10 252;" ] ||
		fail "$program: other events"
done

# odd names are seen as they were written, and an enum with negative constants has them
$CC -O2 $sanitize $I -o "$directory/odd" "$directory/odd.c" "$directory/odd_probes.c" "$BUILD/libvmtap.a" -pthread ||
	fail "odd is not built"
run 0 check --contract "$directory/odd.d" "$directory/odd"
run 0 trace --via stream -q -c "$directory/odd" -n '
	odd*:::words { printf("%d %d %d %d %d %s\n", arg0, arg1, arg2, arg3, arg8, copyinstr(arg9)); }
	odd*:::more /arg0 == ODD_NONE && args[0] < 0 && arg1 == ODD_SOME/ { printf("%d %d\n", arg0, args[7]); }'
[ "$(grep . "$directory/out" | tr '\n' ';')" = "1 2 3 4 9 ten;-1 8;" ] || fail "odd names"
run 0 list -v "$directory/odd"
has out 'args\[0\] class: int$'
has out 'args\[7\] uint64_t: uint64_t$'

# every site is there, also of a probe that the code does not fire, whatever the linker drops
printf '#include "tiny_probes.h"\nint main(void) { TINY_NOTE("x"); return 0; }\n' >"$directory/only.c"
for linker in bfd gold lld mold; do
	echo 'int main(void) { return 0; }' | $CC -fuse-ld=$linker -x c -o "$directory/try" - 2>/dev/null || { echo "left out: $linker: no such linker" && continue; }
	for flags in -O0 -O2; do
		$CC $flags -ffunction-sections -fdata-sections -Wl,--gc-sections -fuse-ld=$linker $sanitize $I -o "$directory/only" \
			"$directory/only.c" "$directory/tiny_probes.c" "$BUILD/libvmtap_probes.a" || fail "$linker does not link"
		run 0 check --contract examples/provider/tiny.d "$directory/only"
	done
done

# two instructions for a probe that nobody listens to
if [ "$(uname -m)" = x86_64 ] && [ -z "$sanitize" ]; then
	printf '#include "tiny_probes.h"\nvoid one(int line) { TINY_LOOKUP(0, 0, line * 3); }\n' >"$directory/one.c"
	$CC -O2 -fcf-protection=none $I -c -o "$directory/one.o" "$directory/one.c" || fail "one probe"
	objdump -d --no-show-raw-insn -j .text "$directory/one.o" | awk 'on { print $2 } /<one>:/ { on = 1 }' >"$directory/out"
	[ "$(head -3 "$directory/out" | tr '\n' ' ')" = "cmpl jne ret " ] || fail "a closed guard is not cmpl, jne"
fi

# a binary says what it knows of its own providers
run 0 list -v "$directory/static"
has out 'args\[0\] kind: uint32_t'
has out 'args\[1\] method: char \*'
has out 'args\[0\] from: void \*'
has out 'Identifier Names: Evolving'
run 0 list --json "$directory/lto"
has out '"argument_names": \[$'
has out '"method"'
has out '"probe": "Evolving/Evolving/Common"'

# a recording knows all, the file is not needed
run 0 record -o "$directory/log" -c "$directory/static 100"
run 0 log "$directory/log"
has out '^ +[0-9]+ +100  tiny:::lookup$'
run 0 log --dump "$directory/log"
has out ' tiny:::lookup kind=0 method="?push"? line=10$'
run 0 log --validate "$directory/log"
run 0 trace -q --log "$directory/log" -n 'tiny*:::lookup { @[xlate <tiny_lookup_t>((uint32_t)arg0).outcome, args[1]] = count(); }'
has out '^ +hit +'
run 0 trace -lv --log "$directory/log" -n 'tiny*:::lookup'
has out 'args\[0\] kind: uint32_t'
has out 'args\[1\] method: char \*'

# several own providers beside vm, and extensions that come and go
sed 's/tiny/other/g; s/TINY/OTHER/g' examples/provider/tiny.d >"$directory/other.d"
run 0 generate -d "$directory" "$directory/other.d"
cat >"$directory/host.c" <<'C'
#include <dlfcn.h>
#include <stdlib.h>
#include <vmtap.h>
#include "other_probes.h"
#include "tiny_probes.h"
int main(int argc, char **argv)
{
	static struct vmtap_name reason = VMTAP_NAME("test");
	vmtap_start(NULL);
	VMTAP_PAUSE_BEGIN(0, &reason);
	OTHER_NOTE("other");
	TINY_NOTE("tiny");
	for (int i = 1; i < argc; i++) {
		void *extension = dlopen(argv[i], RTLD_NOW);
		if (!extension)
			return 1;
		((void (*)(void))dlsym(extension, "fire"))();
		dlclose(extension);
	}
	VMTAP_PAUSE_END(0, &reason);
	vmtap_stop();
	return 0;
}
C
cat >"$directory/extension.c" <<'C'
#include "tiny_probes.h"
void fire(void);
void fire(void)
{
	TINY_NOTE("extension");
}
C
for name in a b; do
	$CC -O2 $sanitize $I -fPIC -shared -o "$directory/$name.so" "$directory/extension.c" "$directory/tiny_probes.c" \
		"$BUILD/libvmtap_probes.a" || fail "no extension"
done
$CC -O2 $sanitize $I -DVMTAP_PROVIDER_RUBY -rdynamic -o "$directory/host" "$directory/host.c" "$directory/tiny_probes.c" \
	"$directory/other_probes.c" "$BUILD/libvmtap.a" -pthread -ldl || fail "no host"
run 0 trace --via stream -q -c "$directory/host $directory/a.so $directory/b.so $directory/a.so" -n '
	tiny*:::note, other*:::note { printf("%s %s\n", probename, copyinstr(arg0)); }
	vm*:::pause-begin, vm*:::pause-end { printf("%s\n", probename); }'
diff - <(grep . "$directory/out") <<'T' || fail "several providers"
pause-begin
note other
note tiny
note extension
note extension
note extension
pause-end
T

# a provider that comes with an extension, after the stream's header
sed '/TINY_\|tiny_/d' "$directory/host.c" >"$directory/late.c"
$CC -O2 $sanitize $I -rdynamic -o "$directory/late" "$directory/late.c" "$directory/other_probes.c" \
	"$BUILD/libvmtap.a" -pthread -ldl || fail "no host"
run 0 record -o "$directory/log" -c "$directory/late $directory/a.so $directory/b.so"
run 0 log "$directory/log"
has out ' 2  tiny:::note$'
run 0 log --validate "$directory/log"
run 0 trace -q --log "$directory/log" -n '
	tiny*:::note { @[copyinstr(arg0), TINY_MISS] = count(); } *:::note { @all[probename] = count(); }'
has out '^ +extension +1 +2$'
has out '^ +note +3$' # and other's

# an extension from a newer version: its definition replaces the older one, whose probes it has too
mkdir "$directory/newer"
{ echo 'enum tiny_later { TINY_LATEST = 77 };'
	sed '/^provider/,/^};/s|^};|	/* Later. */\n	probe later(int a);\n};|' examples/provider/tiny.d; } >"$directory/newer/tiny.d"
run 0 generate -d "$directory/newer" "$directory/newer/tiny.d"
sed 's/TINY_NOTE("extension")/TINY_LATER(77)/' "$directory/extension.c" >"$directory/newer/extension.c"
$CC -O2 $sanitize -I"$directory/newer" $I -fPIC -shared -o "$directory/newer.so" "$directory/newer/extension.c" \
	"$directory/newer/tiny_probes.c" "$BUILD/libvmtap_probes.a" || fail "no newer extension"
run 0 record -o "$directory/log" -c "$directory/host $directory/newer.so $directory/a.so"
run 0 trace -q --log "$directory/log" -n 'tiny*:::later /arg0 == TINY_LATEST/ { printf("latest %d\n", TINY_MISS); }'
has out '^latest 1$'

# documentation
run 0 generate --doc -d "$directory" examples/provider/tiny.d
grep -q '^| `stack-grow` | `from`, `bytes` | The stack has been moved' "$directory/tiny_probes.md" || fail "no table"
if command -v mandoc >/dev/null; then
	mandoc -Tlint -Wwarning "$directory/tiny_probes.7" || fail "the manual page"
else
	echo "left out: a check of the manual page: there is no mandoc"
fi
exit 0
