#!/bin/bash
# The letters that `vmtap trace` shares with dtrace: the preprocessor, modes, where options come
# from and which one wins.
# tests: src/cli/trace/trace_options.c src/cli/trace/preprocess.c
. tests/e2e/common

# ---- macros of the process, in a session and group of its own ----
# shellcheck disable=SC2016
setsid -w bash -c 'echo "$$ $PPID $$ $$"
	exec "$0" trace -qn "BEGIN { printf(\"%d %d %d %d\", \$pid, \$ppid, \$pgid, \$sid); exit(0); }"' \
	"$VMTAP" >"$directory/out" 2>"$directory/err" </dev/null || fail "macros of the process"
[ "$(sed -n 1p "$directory/out")" = "$(sed -n 2p "$directory/out")" ] || fail "macros of the process"

# ---- -C ----
cat >"$directory/script.d" <<'D'
#!/usr/sbin/dtrace -Cs
#pragma D option quiet
#include "part.h"
#define SHOW(x) printf("%d %s %d\n", x, #x, __SUNW_D)
BEGIN
{
	SHOW(BASE + MORE);
	exit(0);
}
D
echo '#define BASE 40' >"$directory/part.h"
run 0 trace -C -DMORE=2 -s "$directory/script.d"
has out '^42 BASE \+ MORE 1$'
# option cppargs is a list
run 0 trace -C -x cppargs='-DBASE=1 -UBASE	-DMORE=4 ' -s "$directory/script.d"
has out '^44 BASE'
DTRACE_OPT_CPPARGS='  -DBASE=1 -UBASE -DMORE=5' run 0 trace -C -s "$directory/script.d"
has out '^45 BASE'
run 0 trace -C -DBASE=1 -UBASE -D MORE=3 -s "$directory/script.d"
has out '^43 BASE'
mkdir "$directory/include"
echo '#define MORE 4' >"$directory/include/more.h"
echo '#include <more.h>' >>"$directory/part.h"
run 0 trace -C -I "$directory/include" -s "$directory/script.d"
has out '^44 BASE'
run 0 trace -C -H -I "$directory/include" -s "$directory/script.d"
has err 'include/more.h'
run 0 trace -x cpp -x incdir="$directory/include" -s "$directory/script.d"
has out '^44 BASE'
# strings of -n are not preprocessed
run 1 trace -C -DX=BEGIN -n 'X { exit(0); }'
has err 'X does not match any probes'
# without it
run 1 trace -s "$directory/script.d"
has err 'line 3: invalid control directive: #include'
# messages name the lines of the original file
printf '#!/usr/sbin/dtrace -Cs\n#define NOTHING\nBEGIN\n{\n\tnosuch;\n}\n' >"$directory/wrong.d"
run 1 trace -C -s "$directory/wrong.d"
has err '"[^"]*/wrong.d", line 5: '
printf '#include "part.h"\n#include "wrong.d.h"\nBEGIN { exit(0); }\n' >"$directory/wrong.d"
printf 'BEGIN\n{\n\ttrace(;\n}\n' >"$directory/wrong.d.h"
run 1 trace -C -I "$directory/include" -s "$directory/wrong.d"
has err '"[^"]*/wrong.d.h", line 3: '
# C headers: types come from them, they may redefine types, and what is not D is skipped
for header in sys/types.h stdint.h errno.h signal.h fcntl.h stddef.h sys/socket.h stdlib.h; do
	printf '#include <%s>\n' "$header"
done >"$directory/headers.d"
cat >"$directory/own.h" <<'C'
#include <stddef.h>
typedef unsigned char u_char;
typedef unsigned long dev_t;
typedef struct own own_t;
enum own_kind { OWN_FIRST = 3, OWN_SECOND };
struct own {
	int kind __attribute__((aligned(4)));
	union {
		long whole;
		short half;
	};
	own_t *next;
};
extern own_t *own_first(const char *name, size_t length);
extern int own_count;
static inline int own_is(const own_t *own) { if (own) { return own->kind == '}'; } return 0; }
C
cat >>"$directory/headers.d" <<'D'
#include "own.h"
BEGIN
{
	this->own = (own_t *)alloca(sizeof (own_t));
	this->own->kind = OWN_SECOND;
	this->own->whole = 0x70001;
	printf("%d %d %d %d %d\n", this->own->kind, this->own->half, sizeof (dev_t),
		offsetof(own_t, next), O_RDWR);
	printf("%d %d\n", sizeof (struct sockaddr), SIGINT + EINTR);
	exit(0);
}
D
run 0 trace -C -q -s "$directory/headers.d"
has out '^4 1 8 16 2$'
has out '^16 6$'
# A header may redefine a struct of D's own library with the same size: the header's members and
# macros then apply, and the library's functions accept it. Keywords and values of GNU C.
cat >"$directory/again.d" <<'D'
#include <netinet/in.h>
#include <signal.h>
#include <sys/epoll.h>
#include <linux/types.h>

struct in6_addr own;
BEGIN
{
	own.s6_addr[15] = 1;
	own.s6_addr[0] = 0xfe;
	printf("%d %d %s\n", sizeof (struct in6_addr), sizeof (struct sockaddr_in6),
		inet_ntoa6((in6_addr_t *)&own.__in6_u));
	printf("%d %d\n", sizeof (siginfo_t) > 100, (uint32_t)EPOLLET == 0x80000000);
	printf("%d %d\n", (__s8)255, sizeof (__be64));
	exit(0);
}
D
run 0 trace -C -q -s "$directory/again.d"
[ "$(cat "$directory/out")" = "16 28 fe00::1
1 1
-1 8" ] || fail "-C: what is there already"
echo 'struct in6_addr { char few[8]; };' >"$directory/other.h"
printf '#include "other.h"\nBEGIN { exit(0); }\n' >"$directory/wrong.d"
run 1 trace -C -s "$directory/wrong.d"
has err 'other.h", line 1: type redeclared: struct in6_addr'
printf 'struct in6_addr { char s6_addr[16]; };\nBEGIN { exit(0); }\n' >"$directory/wrong.d"
run 1 trace -C -s "$directory/wrong.d"
has err 'line 1: type redeclared: struct in6_addr'
# many kinds of headers
for header in assert.h ctype.h errno.h fcntl.h limits.h signal.h stdatomic.h stdio.h stdlib.h string.h \
	threads.h time.h unistd.h wchar.h net/if.h net/route.h netinet/tcp.h netdb.h sys/socket.h sys/stat.h \
	sys/types.h sys/uio.h linux/types.h linux/tcp.h linux/perf_event.h; do
	printf '#include <%s>\nBEGIN { exit(0); }\n' "$header" >"$directory/header.d"
	run 0 trace -C -e -s "$directory/header.d"
done
# in the script itself a name cannot be redefined
printf '#include "own.h"\ntypedef short u_char;\nBEGIN { exit(0); }\n' >"$directory/wrong.d"
run 1 trace -C -s "$directory/wrong.d"
has err 'wrong.d", line 2: identifier redeclared: u_char'
echo 'static int own_open(void) {' >"$directory/open.h"
printf '#include "open.h"\nBEGIN { exit(0); }\n' >"$directory/wrong.d"
run 1 trace -C -s "$directory/wrong.d"
has err 'expected the body to end'
# the preprocessor's messages
echo '#include "nosuch.h"' >"$directory/wrong.d"
run 1 trace -C -s "$directory/wrong.d"
has err 'nosuch.h'
has err 'wrong.d: Preprocessor failed to process input program$'
run 1 trace -C -x cpppath=/nonexistent/cpp -s "$directory/script.d"
has err 'failed to invoke C preprocessor \(/nonexistent/cpp\): No such file'
for mode in a c s t; do
	echo 'BEGIN { trace(__STDC__ + 0); exit(0); }' >"$directory/stdc.d"
	case $mode in
	c) value=1 ;;
	s) value=none ;;
	*) value=0 ;;
	esac
	[ $value = none ] && echo 'BEGIN { exit(0); }' >"$directory/stdc.d"
	run 0 trace -q -C -X $mode -s "$directory/stdc.d"
	[ $value = none ] || has out "^$value\$"
done
run 1 trace -X q -n BEGIN
has err '^dtrace: failed to set -X q: Invalid value for specified option$'

# ---- the largest width that printf accepts ----
run 0 trace -qn 'BEGIN { printf("%100000d", 1); exit(0); }'
[ "$(wc -c <"$directory/out")" = 100001 ] || fail "a wide conversion: $(wc -c <"$directory/out") bytes"
run 1 trace -qn 'BEGIN { printf("%100001d", 1); exit(0); }'
has err 'width or precision is too large'

# ---- modes ----
run 0 trace -e -n 'BEGIN { trace(1); }'
[ -s "$directory/out" ] && fail "-e prints"
run 1 trace -e -n 'BEGIN { nosuch; }'
run 0 trace -e -S -n 'BEGIN { trace(1); }'
has err 'action r0 trace'
run 0 trace -V
[ "$(cat "$directory/out")" = 'dtrace: Oracle D 2.0' ] || fail "-V: $(cat "$directory/out")"
run 2 trace -V -l
has err 'only one of'
for modes in -el -le; do
	run 0 trace "$modes" -n BEGIN
	has out 'dtrace +BEGIN$'
done
run 0 trace -l -n 'BEGIN,nosuch'
has out 'dtrace +BEGIN$'
has err '^dtrace: failed to match :::nosuch: No probe matches description$'
run 0 trace -l -m nosuch -f nosuch -P nosuch
has err '^dtrace: failed to match :nosuch::: No'
has err '^dtrace: failed to match ::nosuch:: No'
has err '^dtrace: failed to match nosuch:::: No'
run 0 trace -l
has out 'ERROR$'
printf 'BEGIN, END\n{\n}\n' >"$directory/list.d"
run 0 list -s "$directory/list.d"
has out 'dtrace +END$'
run 0 trace -w -n 'BEGIN { system("true"); exit(0); }'
has err '^dtrace: allowing destructive actions$'
run 1 trace -n 'BEGIN { system("true"); exit(0); } '
has err "^dtrace: description 'BEGIN ' matched 1 probe$"
has err '^dtrace: could not enable tracing: Destructive actions not allowed$'
run 0 trace -l -n 'BEGIN { system("true"); }'
run 1 trace -w -n 'BEGIN { raise(10); exit(0); }'
has err 'raise\( \) needs a process that lives'

# dtrace's letters that have no meaning here are refused with a reason; there is one data model
run 0 trace -64 -q -n 'BEGIN { exit(0); }'
run 2 trace -32 -n BEGIN
has err 'no other data model'
run 2 trace -A -n BEGIN
has err 'no anonymous tracing'
run 2 trace -G -n BEGIN
has err '-G: .*makes a VM.s probes'
# -P, -m, -f, -n: the part that a description ends with; predicate and body in the same argument
run 3 trace -q -P 'dtrace / probename == "END" / { exit(3); }' -n 'BEGIN { exit(0); }'
run 5 trace -q -i '1 / 1 / { exit(5); } 2 { printf("end\n"); }'
has out '^end$'
run 1 trace -m nosuch
has err 'probe description :nosuch:: does not match any probes'
run 1 trace -f nosuch
has err 'probe description ::nosuch: does not match any probes'
run 1 trace -i 99999
has err 'probe identifier 99999 not defined'
run 1 trace
has err '^dtrace: no probes specified$'
run 0 trace -e
# a -n string may contain declarations that begin with a keyword; a description is never a type
run 0 trace -q -n 'int x; BEGIN { x = 3; printf("%d\n", x); exit(0); }'
has out '^3$'
run 1 trace -e -n 'uint64_t { exit(0); }'
has err 'probe description :::uint64_t does not match'
# -e needs the same things as a run
run 1 trace -e -n 'nosuch'
run 0 trace -e -Z -n 'nosuch'
run 0 trace -e -v -n 'BEGIN { trace(1); }'
has out 'Minimum Statement Attributes'

# ---- where options come from: environment, command line, pragmas; the last one wins ----
script='BEGIN { trace(1); exit(0); }'
DTRACE_OPT_QUIET=yes run 0 trace -n "$script"
[ "$(cat "$directory/out")" = 1 ] || fail "DTRACE_OPT_QUIET"
DTRACE_OPT_QUIET= run 0 trace -n "$script"
[ "$(cat "$directory/out")" = 1 ] || fail "DTRACE_OPT_QUIET without a value"
DTRACE_OPT_QUIET=yes run 0 trace -x quiet=no -n "$script"
has out CPU
run 0 trace -q -n '#pragma D option quiet=no
BEGIN { trace(1); exit(0); }'
has out CPU
run 0 trace -x quiet=no -q -n "$script"
has_not out CPU
run 0 trace -x quiet=0 -n "$script"
has_not out CPU
DTRACE_OPT_NOSUCH=1 run 1 trace -n "$script"
has err 'failed to set DTRACE_OPT_NOSUCH=1: Invalid option name'
run 1 trace -b 10x -n "$script"
has err '^dtrace: failed to set -b [^ ]+: Invalid value for specified option$'
run 1 trace -b 2 -n "$script"
has err 'could not enable tracing: Enabling exceeds size of buffer'

# ---- output ----
run 0 trace -q -o "$directory/file" -n "$script"
run 0 trace -q -o "$directory/file" -n "$script"
[ "$(cat "$directory/file")" = $'1\n1' ] || fail "-o does not append"
# several programs, in the order of the command line
printf 'BEGIN { trace(2); }\n' >"$directory/two.d"
run 4 trace -q -n 'BEGIN { trace(1); }' -s "$directory/two.d" -P 'dtrace' -n 'BEGIN { exit(4); }'
[ "$(cat "$directory/out")" = 12 ] || fail "order of programs"

# ---- an executable script ----
printf '%s\n' '#!/usr/bin/env -S vmtap trace -qs' 'BEGIN { printf("%s %d\n", $$0, $1); exit(3); }' >"$directory/own.d"
chmod +x "$directory/own.d"
ln -s "$VMTAP" "$directory/vmtap"
PATH=$directory:$PATH "$directory/own.d" 5 >"$directory/out" 2>"$directory/err"
[ $? = 3 ] && [ "$(cat "$directory/out")" = "$directory/own.d 5" ] || fail "a script with env -S"
sed -i "1s|.*|#!$directory/vmtap trace -qs|" "$directory/own.d"
"$directory/own.d" 5 >"$directory/out" 2>"$directory/err"
[ $? = 2 ] || fail "a script that names vmtap alone"
has err "^vmtap: 'trace -qs' is not a verb \(a script begins with: #!/usr/bin/env -S vmtap trace -qs\)$"
