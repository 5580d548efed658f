#!/bin/bash
# Values of functions: those that leave by a jump to another function have none, and are left out of
# the clauses that read it; other clauses have them, and one that describes no others is refused.
# tests: src/usdt/code/pid_return.c
set -u
. tests/e2e/common

need_kernel
cat >"$directory/parts.h" <<'END'
/* Switching stacks makes uretprobes unsafe, so that each return is a site of its own. */
#include <ucontext.h>
int (*volatile unused)(ucontext_t *, const ucontext_t *) = swapcontext;
__attribute__((noinline)) int PART(leaf)(int number) { __asm__ volatile(""); return number - 3; }
__attribute__((noinline)) int PART(jumps)(int number) { __asm__ volatile(""); return PART(leaf)(number + 1); }
__attribute__((noinline)) int PART(calls)(int number) { __asm__ volatile(""); return PART(leaf)(number) - 1; }
int PART(all)(void)
{
	int sum = 0;
	for (int i = 0; i < 10; i++)
		sum += PART(leaf)(i) + PART(jumps)(i) + PART(calls)(i);
	__asm__ volatile("" : "+r"(sum));
	return sum + 1;
}
END
printf '#define PART(name) late_##name\n#include "parts.h"\n' >"$directory/late.c"
cat >"$directory/target.c" <<'END'
#include <dlfcn.h>
#define PART(name) work_##name
#include "parts.h"
int main(int count, char **words)
{
	void *late = count > 1 ? dlopen(words[1], RTLD_NOW) : 0;
	int (*all)(void) = late ? (int (*)(void))dlsym(late, "late_all") : 0;
	return work_all() + (all ? all() : 0) == 7777;
}
END
$CC -O2 -foptimize-sibling-calls -o "$directory/target" "$directory/target.c" -ldl &&
	$CC -O2 -foptimize-sibling-calls -shared -fPIC -Wl,-Bsymbolic -o "$directory/late.so" "$directory/late.c" || fail "compiling"

# leaf is called thirty times, and -1 is its value once for each of its three callers.
left='vmtap: pid[^ ]*:target:work_\*:return: 1 of its probes is left out, since arg1 cannot be read there \(such as pid[0-9]+:target:work_jumps:return\)$'
run 0 trace -q -c "$directory/target" -n 'pid$target:target:work_*:return /(int)arg1 == -1/ { @[probefunc] = count(); }'
has out '^ +work_leaf +3$'
has out '^ +work_calls +1$'
has_not out 'jumps|_all'
has err "$left"
[ "$(grep -c 'left out' "$directory/err")" = 1 ] || fail "it is said more than once"

# The same by records, beside clauses that do not read the value, and with parts of a clause.
run 0 trace -q -x reduce=no -c "$directory/target" -n 'pid$target:target:work_*:return { @values[probefunc] = sum((int)arg1); }
	pid$target:target:work_*:return { @all[probefunc] = count(); }
	pid$target:target:work_*:return { if ((int)arg1 < 0) { @negative = count(); } else { @others = count(); } }
	END { printa("value %s %@d\n", @values); printa("left %s %@d\n", @all); printa("negative %@d\n", @negative);
		printa("others %@d\n", @others); }'
# 0 to 9, 1 to 10 and 0 to 9, less 3 each
has out '^value work_leaf 55$'
has out '^value work_calls 5$'
has out '^value work_all 46$'
has_not out '^value work_jumps'
for function in 'leaf 30' 'calls 10' 'jumps 10' 'all 1'; do
	has out "^left work_$function\$"
done
# of leaf 3, 2 and 3; of calls 4
has out '^negative 12$'
has out '^others 29$'

# What appears later.
run 0 trace -Z -q -c "$directory/target $directory/late.so" \
	-n 'pid$target::work_*:return, pid$target:late.so:late_*:return { @[probefunc] = sum((int)arg1); }'
has out '^ +late_leaf +55$'
has out '^ +late_calls +5$'
has_not out 'jumps'
has err '1 probe is left out, since arg1 cannot be read there \(such as pid[0-9]+:late.so:late_jumps:return\)$'

# Only such a function is refused, and can be counted.
run 1 trace -q -c "$directory/target" -n 'pid$target:target:work_jumps:return /arg1/ { @ = count(); }'
has err 'pid[0-9]+:target:work_jumps:return: arg1 cannot be read at offset 0x[0-9a-f]+ of .*/target: the function leaves there by a jump'
run 0 trace -q -c "$directory/target" -n 'pid$target:target:work_jumps:return { @ = count(); }'
has out '^ +10$'
exit 0
