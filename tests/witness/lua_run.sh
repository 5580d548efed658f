#!/bin/bash
# vmtap run with Debian's lua5.4: the program and what it starts are traced, and print what they print
# without it, errors of their own LUA_INIT included; an interpreter whose module cannot be loaded runs.
# tests: src/cli/run_command.c src/targets/runtime_modules.c src/modules/lua/lua_module.c
set -u
. tests/e2e/common
command -v lua5.4 >/dev/null || { echo "lua5.4 is missing"; exit 77; }
[ "${VMTAP_SANITIZED:-0}" = 0 ] || { echo "lua5.4 has no sanitizer"; exit 77; }
[ -e "$BUILD/modules/lua5.4/vmtap.so" ] || { echo "make modules has not been run"; exit 77; }
unset LUA_INIT LUA_INIT_5_4 LUA_PATH LUA_CPATH

cat >"$directory/calls.lua" <<'L'
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
print(arg[0]:match("[^/]*$"), #arg, package.path, package.cpath, vmtap, fib(12))
if arg[1] then os.execute("lua5.4 " .. arg[0]) end
L
cat >"$directory/wrong.lua" <<'L'
local t = nil
print(t.x)
L
same() { # lua5.4's words
	lua5.4 "$@" >"$directory/plain" 2>"$directory/plain.err"
	local status=$?
	run "$status" run lua5.4 "$@"
	cmp "$directory/plain" "$directory/out" || fail "lua5.4 $*: other output"
	diff "$directory/plain.err" "$directory/err" || fail "lua5.4 $*: other errors"
}
same "$directory/calls.lua"
same "$directory/calls.lua" child
same -E "$directory/calls.lua"
same "$directory/wrong.lua"
same -e 'error("no")'
LUA_INIT='print("own")' same "$directory/calls.lua"
# of an error in a file of the user's only the traceback is longer
LUA_INIT="@$directory/wrong.lua" run 1 run lua5.4 -e 'print(1)'
has err "^lua5.4: $directory/wrong.lua:2: attempt to index a nil value \(local 't'\)$"
[ ! -s "$directory/out" ] || fail "the program runs after an error of LUA_INIT"

# fib(12) calls itself 465 times; the child, which another process runs, does the same
run 0 trace -q --lossless --follow -c "$VMTAP run lua5.4 $directory/calls.lua child" \
	-n 'vm*:::method-entry /copyinstr(arg1) == "fib"/ { @[pid == $target] = count(); } END { printa("%@d\n", @); }'
[ "$(grep -c '^465$' "$directory/out")" = 2 ] || fail "the calls of two processes"

# a module that is no library
mkdir -p "$directory/modules/lua5.4"
echo nothing >"$directory/modules/lua5.4/vmtap.so"
export VMTAP_MODULES=$directory/modules
same "$directory/calls.lua"
VMTAP_DEBUG=module run 0 run lua5.4 -e 'print("runs")'
has out '^runs$'
has err '^vmtap: module: lua5.4: .*vmtap.so: file too short$|^vmtap: module: lua5.4: .*invalid ELF header$'
exit 0
