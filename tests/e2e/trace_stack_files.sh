#!/bin/bash
# Stacks of processes that live briefly, with few descriptors: each file is opened once, however many
# processes map it, so the frames have names, also if a process has ended before its stack is looked at.
# tests: src/usdt/process/file_store.c
set -u
. tests/e2e/common

need_kernel
cat >"$directory/short.c" <<'END'
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) long spinning(long most)
{
	struct timespec now;
	long rounds = 0;

	do {
		for (int i = 0; i < 10000; i++)
			__asm__ volatile("" : "+r"(rounds));
		rounds++;
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_nsec < most);
	return rounds;
}
int main(int count, char **words)
{
	return spinning(atol(words[count - 1]) * 1000000) == 0;
}
END
$CC -O1 -o "$directory/short" "$directory/short.c" || fail "compiling"
cat >"$directory/all" <<'END'
#!/bin/bash
for ((i = 0; i < $1; i++)); do "${0%/*}/short" "$2"; done
END
chmod +x "$directory/all"
(ulimit -S -n 128 && run 0 trace -q -c "$directory/all 100 30" \
	-n 'profile-997 /execname == "short"/ { @all = count(); @[ustack()] = count(); } END { printa("all %@d\n", @all); }') || exit 1

# A stack is lines of frames, then its count. Most of the time is spent in the loop.
read -r all named unnamed < <(awk '/^all / { all = $2 }
	/^ +short`spinning/ { is_named = 1 } /^ +0x[0-9a-f]+$/ { is_unnamed = 1 }
	/^ +[0-9]+$/ { named += is_named * $1; unnamed += is_unnamed * $1; is_named = is_unnamed = 0 }
	END { print all + 0, named + 0, unnamed + 0 }' "$directory/out")
[ "$all" -ge 500 ] || fail "only $all samples"
[ "$named" -ge $((all * 3 / 4)) ] || fail "$named of $all samples have the name of the function"
[ "$unnamed" -le $((all / 5)) ] || fail "$unnamed of $all samples have frames without a name"

# Of these, most have ended when their samples are read. About as many samples are of the dynamic linker.
run 0 trace -q -c "$directory/all 400 2" -n 'profile-997 /execname == "short"/ { @[ustack()] = count(); }'
read -r all named unnamed < <(awk '/^ +short`spinning/ { is_named = 1 } /^ +0x[0-9a-f]+$/ { is_unnamed = 1 }
	/^ +[0-9]+$/ { all += $1; named += is_named * $1; unnamed += is_unnamed * $1; is_named = is_unnamed = 0 }
	END { print all + 0, named + 0, unnamed + 0 }' "$directory/out")
[ "$all" -ge 400 ] || fail "only $all samples of short processes"
[ "$named" -ge $((all / 4)) ] || fail "$named of $all samples of short processes have the name of the function"
[ "$unnamed" -le $((all / 4)) ] || fail "$unnamed of $all samples of short processes have frames without a name"
exit 0
