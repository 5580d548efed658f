#!/bin/bash
# Structs and unions without bit-fields have the C compiler's layout, but for its padding at the
# end: the same definitions give the same offsets in D, in D that includes them, and in C. D's size
# is the end of the last member; C's is that, rounded up to the alignment.
set -u
. tests/e2e/common

cat >"$directory/types.h" <<'C'
struct chars { char a; char b[3]; unsigned char c; };
struct integers { char a; short b; char c; int d; char e; long f; char g; long long h; };
struct unsigned_ones { unsigned char a; unsigned long long b; unsigned short c; unsigned d; };
struct pointers { char a; char *b; char c; void **d; char e; struct pointers *f; short g; };
struct arrays { char a; short b[3]; char c; int d[2][3]; char e; long long f[1]; char g[5]; };
struct full { long a; int b; int c; };
struct inner { char a; struct full b; char c; struct full d[2]; short e; };
union numbers { char a; short b; int c; long long d; };
union pointer_or { char a[3]; void *b; short c; };
struct of_unions { char a; union pointer_or b; char c; union pointer_or d[2]; char e; };
struct untagged { char a; struct { int x; short y; short z; } b; char c; union { char x; int y; } d; };
struct floats { char a; float b; char c; double d; char e; };
enum colours { RED, GREEN = 70000, BLUE };
struct enums { char a; enum colours b; char c; enum colours d[3]; };
typedef unsigned short half;
typedef struct full full_type;
struct typedefs { char a; half b; char c; full_type d; half e; };
C
cat >"$directory/members" <<'LIST'
struct chars a b c
struct integers a b c d e f g h
struct unsigned_ones a b c d
struct pointers a b c d e f g
struct arrays a b c d e f g
struct full a b c
struct inner a b c d e
union numbers a b c d
union pointer_or a b c
struct of_unions a b c d e
struct untagged a b c d
struct floats a b c d e
struct enums a b c d
struct typedefs a b c d e
LIST

# printf statements for C and D: every offset, then the end of the last member, which is D's size.
statements() { # c or d
	while read -r kind name members; do
		for member in $members; do
			echo "printf(\"$name.$member %d\\n\", (int)offsetof($kind $name, $member));"
		done
		if [ "$1" = c ] && [ "$kind" = struct ]; then
			echo "printf(\"$name %d\\n\", (int)(offsetof($kind $name, $member) +" \
				"sizeof(((struct $name *)0)->$member)));"
		else
			echo "printf(\"$name %d\\n\", (int)sizeof($kind $name));"
		fi
	done <"$directory/members"
}
{
	printf '#include "types.h"\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n'
	statements c
	echo 'return 0; }'
} >"$directory/layout.c"
$CC -o "$directory/layout" "$directory/layout.c" || fail "the C program does not compile"
"$directory/layout" >"$directory/wanted"
[ "$(wc -l <"$directory/wanted")" = 81 ] || fail "the C program did not print everything"

{ cat "$directory/types.h"; echo 'BEGIN {'; statements d; echo 'exit(0); }'; } >"$directory/own.d"
{ echo "#include \"$directory/types.h\""; sed '1,/^struct typedefs/d' "$directory/own.d"; } \
	>"$directory/included.d"
run 0 trace -q -s "$directory/own.d"
diff "$directory/wanted" <(grep . "$directory/out") || fail "layouts differ from those of $CC"
run 0 trace -C -q -s "$directory/included.d"
diff "$directory/wanted" <(grep . "$directory/out") ||
	fail "layouts of included definitions differ from those of $CC"
