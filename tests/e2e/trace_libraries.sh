#!/bin/bash
# D libraries (-L, option libdir): their order, what they may contain, which ones are skipped, and
# errors in them.
set -u
. tests/e2e/common
mkdir "$directory"/{one,two,clauses,broken,circle,missing,empty}

# "a" needs a definition of "z", which needs the built-in library
cat >"$directory/one/a.d" <<'EOF'
#pragma D depends_on library z.d
inline int A = Z + 1;
EOF
cat >"$directory/one/z.d" <<'EOF'
#pragma D depends_on library errno.d
typedef struct place {
	int x;
} place_t;
translator place_t < int P > {
	x = P * 2;
};
inline int Z = pid * 0 + ENOENT + 38;
#pragma D attributes Evolving/Evolving/ISA Z
EOF
# its provider does not exist, so its definitions do not exist either
printf '#pragma D depends_on provider nosuch\ninline int ABSENT = 1;\n' >"$directory/one/b.d"
echo 'not D' >"$directory/one/README"
echo 'inline int TWO = A + 1;' >"$directory/two/two.d"
printf '/* a clause */\nBEGIN { exit(0); }\n' >"$directory/clauses/clause.d"
printf 'inline int FIRST = 1;\n\ninline int BAD = nosuch;\n' >"$directory/broken/broken.d"
echo '#pragma D depends_on library y.d' >"$directory/circle/x.d"
echo '#pragma D depends_on library x.d' >"$directory/circle/y.d"
echo '#pragma D depends_on library nosuch.d' >"$directory/missing/m.d"

program='BEGIN { printf("%d %d %d\n", A, TWO, xlate <place_t> (4).x); exit(0); }'
run 0 trace -q -L "$directory/one" -x libdir="$directory/two" -n "$program"
has out '^41 42 8$'
run 0 trace -q -L "$directory/empty" -n 'BEGIN { printf("%d\n", EPERM); exit(0); }'
has out '^1$'
run 0 trace -ev -L "$directory/one" -n 'BEGIN { trace(Z); }'
has out 'Dependency Class: ISA$'

# the libraries of the first directory come first
run 1 trace -q -L "$directory/two" -L "$directory/one" -n "$program"
has err '"'"$directory"'/two/two.d", line 1: failed to resolve A: Unknown variable name'
run 1 trace -x nolibs -L "$directory/one" -n 'BEGIN { trace(A); }'
has err 'failed to resolve A'
run 1 trace -L "$directory/one" -n 'BEGIN { trace(ABSENT); }'
has err 'failed to resolve ABSENT'

# What a library is for is there or not, with a target: its provider says so. A script that has no
# target but its provider's name has the library of that one.
mkdir "$directory/vm"
printf '#pragma D depends_on provider vm\ninline int STATUS = 7;\n' >"$directory/vm/vm.d"
program='vm$target:::startup { exit(STATUS); }'
run 7 trace -q -L "$directory/vm" -c "$TOY examples/toy/programs/queens.toy" -n "$program"
run 1 trace -q -L "$directory/one" -c "$TOY examples/toy/programs/queens.toy" -n 'vm$target:::startup { exit(ABSENT); }'
has err 'failed to resolve ABSENT'
cp tests/toy/loop.toy "$directory/loop.toy"
"$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
run 7 trace -q -L "$directory/vm" -n 'vm$1:::method-entry { exit($target == $1 ? STATUS : 8); }' "$pid"
run 7 trace -q -L "$directory/vm" -p "$pid" -n 'BEGIN { exit(STATUS); }'
# $target before and after the provider's name, where that is the target
run 0 trace -q -n 'BEGIN { printf("%d\n", $target); } vm$1:::method-entry { printf("%d\n", $target); exit(0); }' "$pid"
[ "$(cat "$directory/out")" = "$pid"$'\n'"$pid" ] || fail "\$target of a process that a provider names"
run 0 trace -q -n 'vm$1:::method-entry { printf("%A\n", arg0); exit(0); }' "$pid"
# the same of a script
run 0 trace -q -p "$pid" -n '#pragma D depends_on provider vm
BEGIN { exit(0); }'
run 1 trace -x errtags -q -p "$pid" -n '#pragma D depends_on provider nosuch
BEGIN { exit(0); }'
has err 'D_PRAGMA_DEPEND.*program requires provider nosuch'

# a program cannot repeat a definition of a library
run 1 trace -x errtags -L "$directory/one" -n '#pragma D attributes Stable/Stable/Common A
BEGIN { trace(A); }'
has err 'D_PRAGMA_SCOPE'

run 1 trace -L "$directory/clauses" -n BEGIN
has err 'clause.d", line 2: a library may not contain probe clauses'
run 1 trace -x errtags -L "$directory/broken" -n BEGIN
has err '\[D_IDENT_UNDEF\] ".*/broken.d", line 3: failed to resolve nosuch'
run 1 trace -x errtags -L "$directory/circle" -n BEGIN
has err 'D_PRAGMA_DEPEND.*x.d depends on itself'
run 1 trace -x errtags -L "$directory/missing" -n BEGIN
has err 'D_PRAGMA_DEPEND.*m.d requires library nosuch.d'
run 1 trace -L "$directory/nowhere" -n BEGIN
has err 'failed to load library .*/nowhere: No such file or directory'
[ "$(wc -l <"$directory/err")" = 1 ] || fail "more than one line"
