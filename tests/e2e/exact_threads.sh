#!/bin/bash
# Exact calls of many threads that end within calls, and leave calls by longjmp(): each stack ends with
# its thread, not before its last events, though a thread has often ended when they are read.
# tests: src/cli/flame/exact_calls.c
set -u
. tests/e2e/common
need_kernel

cat >"$directory/threads.c" <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/sdt.h>
#define ENTER(name) STAP_PROBE5(php, function__entry, name, "work.php", 1, "", "")
#define LEAVE(name) STAP_PROBE5(php, function__return, name, "work.php", 1, "", "")

static __thread jmp_buf place;
static __attribute__((noinline)) void c(int how)
{
	ENTER("c");
	if (how == 1)
		longjmp(place, 1);
	if (how == 2)
		pthread_exit(NULL);
	LEAVE("c");
}
static __attribute__((noinline)) void b(int how)
{
	ENTER("b");
	c(how);
	LEAVE("b");
}
static __attribute__((noinline)) void a(int how)
{
	ENTER("a");
	if (!setjmp(place))
		b(how);
	LEAVE("a");
}
static void *thread(void *unused)
{
	(void)unused;
	for (int i = 0; i < 50; i++)
		a(i & 1);
	b(2);
	return NULL;
}
int main(void)
{
	for (int i = 0; i < 300; i++) {
		pthread_t threads[4];

		for (int j = 0; j < 4; j++)
			if (pthread_create(&threads[j], NULL, thread, NULL))
				abort();
		for (int j = 0; j < 4; j++)
			pthread_join(threads[j], NULL);
	}
}
C
$CC -O1 -pthread -o "$directory/threads" "$directory/threads.c" || fail "compiling"
for round in 1 2 3; do
	run 0 flame --exact --by calls --folded -o - -- "$directory/threads"
	has_not err drop
	[ "$(sort "$directory/out" | tr '\n' '|')" = 'a 60000|a;b 60000|a;b;c 60000|b 1200|b;c 1200|' ] ||
		fail "round $round: other stacks"
done
exit 0
