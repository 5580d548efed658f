#!/bin/bash
# The rules for make, CMake and Meson in vmtap-generate(1), with the definition that is shown there,
# build a program from an installed vmtap, and build it again when the definition changes. What is
# not installed here is left out; make is.
set -u
. tests/e2e/common
[ "${VMTAP_SANITIZED:-0}" = 0 ] || { echo "a library built with sanitizers does not link without them"; exit 77; }
prefix=$directory/prefix
env -u MAKEFLAGS -u MAKELEVEL -u DESTDIR make -s B="$BUILD" PRODUCTS= install PREFIX="$prefix" >"$directory/out" 2>"$directory/err" ||
	fail "make install"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib PATH=$prefix/bin:$PATH
python3 - src/man/vmtap-generate.1 "$directory/rules" <<'P' || fail "no rules in the manual"
import os, re, sys
text = open(sys.argv[1]).read()
os.mkdir(sys.argv[2])
blocks = re.findall(r'^\.\\" rule (\S+)\n\.Bd -literal.*\n((?:.*\n)*?)\.Ed$', text, re.M)
assert [name for name, _ in blocks] == ["Makefile", "CMakeLists.txt", "meson.build"], blocks
definition = re.search(r"^\.Ss The definition\n\.Bd.*\n((?:.*\n)*?)\.Ed$", text, re.M).group(1)
for name, body in blocks + [("lua.d", definition)]:
    open(os.path.join(sys.argv[2], name), "w").write(body.replace("\\e", "\\"))
P
cat >"$directory/rules/myvm.c" <<'C'
#include "lua_probes.h"
int main(void)
{
	static struct vmtap_name method = VMTAP_NAME("m");
	vmtap_start(NULL);
	LUA_INLINE_CACHE_MISS(&method, 1);
	LUA_STOP(1, &method, "yields");
#ifdef LUA_LATER_ENABLED
	LUA_LATER();
#endif
	vmtap_stop();
	return 0;
}
C
expect() { # program, probes
	run 0 list "$1"
	[ "$(awk '$2 == "lua" { print $NF }' "$directory/out" | sort | tr '\n' ' ')" = "$2" ] || fail "$1 has other probes than $2"
}
tool() { # name, how to build in the folder, the program
	local folder=$directory/$1 build=$2 program=$3
	cp -r "$directory/rules" "$folder"
	(cd "$folder" && eval "$build") >"$directory/out" 2>&1 || fail "$1: it does not build"
	expect "$folder/$program" "inline-cache-miss stop "
	run 0 trace --via stream -q -c "$folder/$program" \
		-n 'lua*:::stop /arg0 == LUA_YIELD/ { printf("%s\n", copyinstr(arg2)); }'
	has out '^yields$'
	find "$folder" -exec touch -d '1 minute ago' {} + # what changes now is newer
	sed -i 's|^};|	/* Later. */\n	probe later();\n};|' "$folder/lua.d"
	(cd "$folder" && eval "$build") >"$directory/out" 2>&1 || fail "$1: it does not build again"
	expect "$folder/$program" "inline-cache-miss later stop "
}
tool make "env -u MAKEFLAGS -u MAKELEVEL make CC=$CC CFLAGS='-O1 -g'" myvm
command -v cmake >/dev/null || echo "left out: cmake: not installed"
! command -v cmake >/dev/null || tool cmake "cmake -B out -DCMAKE_C_COMPILER=$CC . && cmake --build out" out/myvm
command -v meson >/dev/null || echo "left out: meson: not installed"
! command -v meson >/dev/null || tool meson "{ [ -d out ] || CC=$CC meson setup out; } && meson compile -C out" out/myvm
exit 0
