#!/bin/bash
# vmtap run: the command has the variables by which runtimes load their modules, what they contained
# before still holds, and the command is what it is without vmtap. Here the module is an empty file:
# tests/witness/lua_run.sh runs the real one.
# tests: src/cli/run_command.c src/targets/runtime_modules.c
set -u
. tests/e2e/common
unset LUA_INIT LUA_INIT_5_4
export VMTAP_MODULES="$directory/the \"modules\" of \$HOME's 100% \\ "
mkdir -p "$VMTAP_MODULES/lua5.4"

value() { # of LUA_INIT_5_4 in a command that vmtap run starts
	"$VMTAP" run sh -c 'printf "%s" "$LUA_INIT_5_4"' 2>"$directory/err"
}
# no module: the command runs as it is
[ "$(value)" = "" ] || fail "without a module: $(value)"
is_silent || fail "without a module something is said"
VMTAP_DEBUG=module run 0 run true
has err '^vmtap: module: there is none in '
run 3 run --print
has err '^vmtap: .*there is no module: install one, or make modules in the sources$'

: >"$VMTAP_MODULES/lua5.4/vmtap.so"
ours=$(value)
[[ $ours == 'do local f, m = package.loadlib("'*'", "luaopen_vmtap")'*' end' ]] || fail "the value: $ours"
[[ $ours == *'/the \"modules\" of $HOME'\''s 100% \\ /lua5.4/vmtap.so"'* ]] || fail "the module's path: $ours"
# what was there before; the same variable twice is set once
[ "$(LUA_INIT='x = 1' value)" = "$ours x = 1" ] || fail "code of the user's"
[ "$(LUA_INIT='x = 1' LUA_INIT_5_4='y = 2' value)" = "$ours y = 2" ] || fail "the variable of the version"
[ "$(LUA_INIT='@/a "file"' value)" = "$ours dofile(\"/a \\\"file\\\"\")" ] || fail "a file of the user's"
[ "$(LUA_INIT_5_4= value)" = "$ours " ] || fail "an empty variable"
[ "$(LUA_INIT_5_4="$ours z = 3" value)" = "$ours z = 3" ] || fail "vmtap run within vmtap run"

# what is printed sets the same
run 0 run --print
[ "$(sh -c ". '$directory/out'; printf '%s' \"\$LUA_INIT_5_4\"")" = "$ours" ] || fail "--print: $(cat "$directory/out")"
cp "$directory/out" "$directory/shell"
run 0 run --print=shell
cmp -s "$directory/out" "$directory/shell" || fail "--print=shell"
run 0 run --print=systemd
[ "$(wc -l <"$directory/out")" = 1 ] && has out '^Environment="LUA_INIT_5_4=do local .*100%% .* end"$' || fail "--print=systemd"
run 0 run --print=docker
[ "$(wc -l <"$directory/out")" = 1 ] && has out '^ENV LUA_INIT_5_4="do local .* of \\\$HOME.* end"$' || fail "--print=docker"

# the command's words, pid and status
run 7 run sh -c 'exit 7'
run 0 run -- printf '%s|' --print -h 'a b'
[ "$(cat "$directory/out")" = '--print|-h|a b|' ] || fail "the words: $(cat "$directory/out")"
"$VMTAP" run sh -c 'echo $$' >"$directory/out" &
pid=$!
wait "$pid"
[ "$(cat "$directory/out")" = "$pid" ] || fail "the command is another process"
run 127 run /nonexistent/program
has err '^vmtap: /nonexistent/program: No such file or directory$'
run 126 run "$directory"
has err '^vmtap: .*: Permission denied$'
run 2 run
has err '^vmtap run: no command$'
run 2 run --print=csh
has err "^vmtap run: --print: 'csh' is none of shell, systemd, docker$"
run 2 run --print true
has err "^vmtap run: --print takes no command: 'true'$"
run 2 run --prnt
has err "'--prnt' is not an option \(did you mean --print\?\)"
VMTAP_MODULES=/nonexistent run 3 run --print
exit 0
