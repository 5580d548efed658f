#!/bin/bash
# vmtap scripts lists every bundled script under the question that it answers, those that match a
# pattern, and prints one with the parts that it includes. Each script has a header of one form:
# summary, question, an example with its output, how to read it, which providers it works on, and
# what it costs.
# tests: src/cli/scripts.c
set -u
. tests/e2e/common

run 0 scripts
cp "$directory/out" "$directory/all"
for file in probes/scripts/*.d; do
	name=$(basename "$file" .d)
	summary=$(sed -n "s/^ \* $name\.d: //p" "$file")
	[ -n "$summary" ] || fail "$file has no summary"
	grep -qxF "$(printf '  %-20s %s' "$name" "$summary")" "$directory/all" || fail "$name is not listed"
	awk -v name="$name" '
		NR == 1 { if ($0 != "/*") exit 1; next }
		/^ \*\/$/ { exit }
		NR == 2 && index($0, " * " name ".d: ") != 1 { wrong = 1 }
		NR == 3 && $0 != " *" { wrong = 1 }
		/^ \* Question: / { if (part != 0) wrong = 1; part = 1 }
		/^ \*     \$ vmtap trace / { if (part != 1 || $5 != name) wrong = 1; part = 2; lines = NR }
		/^ \* Reading: / { if (part != 2 || NR - lines < 3) wrong = 1; part = 3 }
		/^ \* Providers: [a-zH]/ { if (part != 3) wrong = 1; part = 4 }
		/^ \* Cost: / { if (part != 4) wrong = 1; part = 5 }
		length > 100 { wrong = 1 }
		END { exit wrong || part != 5 }' "$file" || fail "$file: its header has another form"
	question=$(sed -n 's/^ \* Question: //p' "$file")
	awk -v question="$question" -v name="$name" '
		/^[^ ]/ { here = $0 == question }
		$1 == name && here { found = 1 }
		END { exit !found }' "$directory/all" || fail "$name is not listed under its question"
	run 0 scripts "$name"
	grep -v "^#include" "$file" >"$directory/lines"
	diff "$directory/lines" "$directory/out" | grep -q "^<" && fail "$name is not printed as it is"
	has_not out "^#include"
done
[ "$(grep -c '^  ' "$directory/all")" = "$(ls probes/scripts/*.d | wc -l)" ] || fail "the list has more scripts"
[ "$(ls probes/scripts/*.d | wc -l)" -ge 30 ] || fail "scripts are missing"

run 0 scripts 'gc_*'
[ "$(awk '/^  / { print $1 }' "$directory/out" | tr '\n' ' ')" = \
	"$(cd probes/scripts && ls gc_*.d | sed 's/\.d$//' | LC_ALL=C sort | tr '\n' ' ')" ] || fail "gc_*"
[ "$(grep -c '^[^ ]' "$directory/out")" = 1 ] || fail "questions without a script are listed"
run 0 scripts '*_time'
has out '^  method_time '
has out '^  parse_time '
run 3 scripts 'nothing*'
has err "no script's name matches 'nothing\*'"
run 3 scripts gc_puase
has err 'did you mean gc_pause'
exit 0
