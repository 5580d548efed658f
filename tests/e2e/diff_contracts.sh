#!/bin/bash
# vmtap diff OLD.d NEW.d|BINARY: what was added breaks no promise; what was removed, renamed or
# changed does.
# tests: src/cli/check/diff_contract.c
set -u
. tests/e2e/common
cat >"$directory/old.d" <<'D'
enum own_kind { OWN_NONE = -1, OWN_SOME, OWN_ALL = (1 << 3), OWN_MORE };
inline int OWN_LIMIT = 0x10;
typedef struct own_shown { string text; } own_shown_t;
translator own_shown_t < uint32_t K > { text = K == OWN_ALL ? "all" : "some"; };
provider own {
	/*
	 * One.
	 * @a one
	 * @b [name] two
	 */
	probe kept(int a, char *b);
	/*
	 * Two.
	 * @a one
	 */
	probe gone(uint64_t a);
	/*
	 * Three.
	 * @line one
	 * @text [text] two
	 */
	probe called__before(uint16_t line, char *text);
	/* Four. */
	probe empty();
	/* Five. */
	probe shown(uint32_t kind, int line) : (own_shown_t *kind, int line);
};
#pragma D attributes Stable/Stable/Common provider own provider
D
run 0 diff "$directory/old.d" "$directory/old.d"
[ ! -s "$directory/out" ] || fail "a definition differs from itself"

edit() { # sed script
	sed -E "$1" "$directory/old.d" >"$directory/new.d"
}
# what is added
edit 's/^\tprobe empty\(\)/\tprobe fresh(int x);\n\tprobe empty(int y, int z)/'
run 0 diff "$directory/old.d" "$directory/new.d"
diff "$directory/out" - <<'T' || fail "what was added"
+ own:::empty: argument 1: int y is new
+ own:::empty: argument 2: int z is new
+ own:::fresh(int x)
T
# what breaks a promise
broken() { # sed script, lines
	edit "$1"
	run 1 diff "$directory/old.d" "$directory/new.d"
	[ "$(cat "$directory/out")" = "$2" ] || fail "$1: expected $2"
}
broken '/probe gone/d' '- own:::gone(uint64_t a)'
broken 's/called__before/called__now/' '- own:::called-before(uint16_t line, char *text), now named called-now
+ own:::called-now(uint16_t line, char *text)'
broken 's/int a, char/long a, char/' '! own:::kept: argument 1: was int, is long'
broken 's/int a, char/unsigned a, char/' '! own:::kept: argument 1: was int, is unsigned'
broken 's/@b \[name\]/@b [text]/' '! own:::kept: argument 2: was char * [name], is char * [text]'
broken 's/int a, char \*b/int a/; /@b/d' '! own:::kept: arguments: were (int a, char *b), are (int a)'
broken 's/provider own \{/provider other {/; s/provider own p/provider other p/' '- own:::the provider with its 5 probes
+ other:::the provider with its 5 probes'
broken 's/Stable.Stable/Evolving\/Evolving/' '! own:::: stability of provider: is less than it was'
broken 's/own_shown_t \*kind, int line/uint32_t kind/' '! own:::shown: args[0]: was own_shown_t *, is uint32_t
! own:::shown: args[1]: was int, is missing'
broken 's/, OWN_MORE//; s/1 << 3/1 << 4/' '! own:::: constant OWN_ALL: was (1<<3), is (1<<4)
- own:::: constant OWN_MORE ((the one before)+1)'
broken 's/OWN_SOME/OWN_FIRST, OWN_SOME/' '! own:::: constant OWN_SOME: was 0, is 1'
broken 's/0x10/17/' '! own:::: constant OWN_LIMIT: was 16, is 17'
edit 's/Stable.Stable/Evolving\/Evolving/'
run 1 diff --json "$directory/old.d" "$directory/new.d"
python3 -c 'import json, sys
changes = json.load(open(sys.argv[1]))["changes"]
assert [(c["change"], c["provider"], c["what"]) for c in changes] == [("changed", "own", "stability")], changes' "$directory/out" || fail JSON

# a binary
run 0 generate -d "$directory" "$directory/old.d"
printf '#include "own_probes.h"\nint main(void) { OWN_EMPTY(); return 0; }\n' >"$directory/main.c"
$CC -O2 -Iinclude -I"$BUILD/include" -I"$directory" -o "$directory/main" "$directory/main.c" "$directory/own_probes.c" \
	"$BUILD/libvmtap_probes.a" ${VMTAP_SANITIZED:+-fsanitize=address,undefined} || fail "not built"
run 0 diff "$directory/old.d" "$directory/main"
[ ! -s "$directory/out" ] || fail "a binary differs from its definition"
edit 's/uint64_t a/int a/; s/^\tprobe empty\(\)/\tprobe empty(char *x);\n\tprobe more()/; s/Four\./Four.\n@x [name] x/; /kept/d'
run 1 diff "$directory/new.d" "$directory/main"
diff "$directory/out" - <<'T' || fail "a binary"
! own:::gone: argument 1: was int, is uint64_t
! own:::empty: arguments: were 1, are 0
- own:::more()
+ own:::kept: not in the definition
T
run 2 diff "$directory/main" "$directory/old.d"
run 3 diff "$directory/none.d" "$directory/old.d"
run 3 diff "$directory/old.d" "$directory/none"
exit 0
