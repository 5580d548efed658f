#!/bin/bash
# vmtap flame --pprof: go tool pprof reads the profile and gives the same values.
set -u
. tests/e2e/common
command -v go >/dev/null || { echo "go is missing" && exit 77; }
go tool -n pprof >/dev/null 2>&1 || { echo "go tool pprof is missing" && exit 77; }
cat >"$directory/events" <<'EVENTS'
block 0
1000000000 method-entry "A" "a" "f" 1 1
1100000000 method-entry "B" "b\"<i>" "f" 2 1
1400000000 method-return "B" "b\"<i>" "f" 2 1
2000000000 method-return "A" "a" "f" 1 1
end
EVENTS
"$BUILD/tests/tools/make_log" probes/vm.d "$directory/events" "$directory/log" || fail "make_log"
run 0 flame --pprof "$directory/log" -o "$directory/profile"
HOME=$directory go tool pprof -top "$directory/profile" >"$directory/out" 2>"$directory/err" || fail "go tool pprof"
has out '^ +700ms 70\.00% 70\.00% +1000ms +100% +A#a$'
has out '^ +300ms 30\.00% +100% +300ms 30\.00% +B#b"<i>$'
HOME=$directory go tool pprof -traces "$directory/profile" >"$directory/out" 2>"$directory/err" || fail "traces"
has out '^ +300ms +B#b"<i>$'
exit 0
