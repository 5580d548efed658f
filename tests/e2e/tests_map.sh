#!/bin/bash
# The tables in tests/README.md, from source files to tests, are what tests/map makes of the tests, and
# every file named there, in a line "# tests: ...", in a comment or in src/README.md exists. The check
# itself is checked on a copy.
set -u
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing" && exit 77; }
python3 tests/map --check || fail "tests/README.md"

mkdir "$directory/copy" && cp -r src tests examples include probes "$directory/copy" || fail "cp"
cd "$directory/copy" || exit 1
finds() { # what is wrong, pattern
	python3 tests/map --check >"$directory/out" 2>"$directory/err" && fail "$1 is not found"
	has out "$2"
}
python3 tests/map --check || fail "the copy"
sed -i 's|^# tests: .*|# tests: src/base/nosuch.c|' tests/e2e/suggestions.sh
finds "a file that does not exist" '^tests/e2e/suggestions.sh: there is no src/base/nosuch.c$'
sed -i 's|^# tests: .*|# tests: src/base/text.c|' tests/e2e/suggestions.sh
finds "an old table" '^tests/README.md is not up to date: tests/map rewrites it$'
python3 tests/map && python3 tests/map --check || fail "the new tables"
grep -qE '^\| `text` \|.* suggestions ' tests/README.md || fail "the new table does not name the test"
[[ " $(python3 tests/map src/base/text.c) " == *' suggestions '* ]] || fail "the tests of a file"
echo 'Look into `tests/nosuch.h`.' >>tests/README.md
finds "a path in the text" '^tests/README.md: there is no tests/nosuch.h$'
sed -i '/nosuch/d' tests/README.md
echo '/* See base/nosuch.c, generate_NAME.c, errno.h. */' >>src/base/text.h
finds "a path in a comment" '^src/base/text.h:[0-9]+: there is no base/nosuch.c$'
(($(wc -l <"$directory/out") == 1)) || fail "more than the path in the comment: $(<"$directory/out")"
sed -i '/nosuch/d' src/base/text.h
sed -i 's/\bvmtap_start(const/vmtap_begin(const/' src/shim/server/start.c
finds "a function that is gone" 'vmtap_start\(\) is defined in 0 files'
