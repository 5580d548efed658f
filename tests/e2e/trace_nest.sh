#!/bin/bash
# Within a pid namespace, as in a privileged container: numbers of processes and threads, of the
# current ones and of others, are those that the processes have there, by the events of proc, sched,
# syscall and USDT, whether programs carry the clauses out or not. Processes outside have no number.
# The same is checked two namespaces deep.
# tests: src/kernel/bpf/bpf_namespace.c
set -u
. tests/e2e/common
need_kernel

cat >"$directory/nest.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void *run(void *unused)
{
	(void)unused;
	printf("thread %d\n", gettid());
	fflush(stdout);
	syscall(SYS_getpgid, 77);
	return NULL;
}

/* Says its numbers; a child and a thread do the same. */
int main(void)
{
	pthread_t thread;
	pid_t child;

	setpgid(0, 0);
	prctl(PR_SET_NAME, "vmtap-nest");
	usleep(1000); /* it is woken after this; a child may end before it is waited for */
	printf("numbers %d %d %d %d %d\n", getpid(), gettid(), getppid(), getpgid(0), getsid(0));
	fflush(stdout);
	syscall(SYS_getpgid, 77);
	child = fork();
	if (!child) {
		raise(SIGURG);
		_exit(0);
	}
	printf("child %d of %d\n", child, getpid());
	fflush(stdout);
	waitpid(child, NULL, 0);
	if (pthread_create(&thread, NULL, run, NULL))
		return 1;
	pthread_join(thread, NULL);
	return 0;
}
C
$CC -O1 -o "$directory/nest" "$directory/nest.c" -pthread &&
	$CC -O2 -o "$directory/target" tests/tools/usdt_target.c -pthread || fail "compiling"

cat >"$directory/nest.d" <<'D'
syscall::getpgid:entry
/arg0 == 77 && pid == $target && pid == tid/
{
	printf("seen numbers %d %d %d %d %d\n", pid, tid, ppid, curpsinfo->pr_pgid, curpsinfo->pr_sid);
	printf("shown numbers %d %d %d %d %d\n", curpsinfo->pr_pid, curlwpsinfo->pr_lwpid, curpsinfo->pr_ppid,
	    xlate <psinfo_t *> (curthread)->pr_pgid, xlate <psinfo_t *> (curthread)->pr_sid);
	printf("found numbers %d %d %d %d %d\n", xlate <psinfo_t *> (curthread)->pr_pid,
	    xlate <lwpsinfo_t *> (curthread)->pr_lwpid, xlate <psinfo_t *> (curthread)->pr_ppid,
	    curpsinfo->pr_pgid, curpsinfo->pr_sid);
}
syscall::getpgid:entry
/arg0 == 77 && pid == $target && pid != tid/
{
	printf("seen thread %d\n", curlwpsinfo->pr_lwpid);
}
proc:::create
/pid == $target && args[0]->pr_ppid == $target && args[0]->pr_pid != $target/
{
	printf("seen child %d of %d\n", args[0]->pr_pid, args[0]->pr_ppid);
}
syscall::getpgid:entry /arg0 == 77 && pid == $target/ { @calls[ppid == $pid, curpsinfo->pr_ppid == $pid] = count(); }
proc:::exit /ppid == $target/ { @ends = count(); }
proc:::signal-send /args[2] == SIGURG && args[1]->pr_ppid == $target/ { @signals[pid == args[1]->pr_pid] = count(); }
sched:::wakeup /args[1]->pr_pid == $target/ { @woken[args[1]->pr_ppid == $pid, args[1]->pr_fname == "vmtap-nest" ||
	args[1]->pr_fname == "nest" ] = count(); }
END
{
	printa("calls %d %d %@d\n", @calls);
	printa("ends %@d\n", @ends);
	printa("signals %d %@d\n", @signals);
	printa("woken %d %d\n", @woken);
}
D
cat >"$directory/nest.sh" <<'INSIDE'
for reduce in yes no; do
	timeout 60 "$VMTAP" trace -q -x reduce=$reduce -s "$1/nest.d" -c "$1/nest" >"$1/out.$reduce" 2>"$1/err.$reduce" || exit 1
done
timeout 60 "$VMTAP" trace -q -c "$1/target 10" -n 'sample$target:::number { @[pid == $target, tid == $target, ppid == $pid,
	curpsinfo->pr_ppid == $pid, curpsinfo->pr_pid == $target] = count(); } END { printa("usdt %d %d %d %d %d %@d\n", @); }
	sample$target:::number /arg0 == 7/ { printf("seven %d %d\n", tid == $target, ppid == $pid); }' \
	>"$1/usdt" 2>"$1/err.usdt"
INSIDE

check() { # how it is nested
	for reduce in yes no; do
		[ ! -s "$directory/err.$reduce" ] || fail "$1, reduce=$reduce: $(cat "$directory/err.$reduce")"
		cp "$directory/out.$reduce" "$directory/out"
		numbers=$(grep '^numbers' "$directory/out")
		[ -n "$numbers" ] || fail "$1: the program says nothing"
		for what in seen shown found; do
			has out "^$what $numbers\$"
		done
		has out "^seen $(grep '^child' "$directory/out")\$"
		has out "^seen $(grep '^thread' "$directory/out")\$"
		has out '^calls 1 1 2$'
		has out '^ends 1$'
		has out '^signals 1 1$'
		has out '^woken 1 1$'
	done
	cp "$directory/usdt" "$directory/out"
	has out '^usdt 1 1 1 1 1 10$'
	has out '^seven 1 1$'
}
for nest in 'unshare --pid --fork --mount-proc' 'unshare --pid --fork unshare --pid --fork --mount-proc' 'env'; do
	$nest true 2>/dev/null || { echo "no pid namespace can be made here"; exit 77; }
	$nest bash "$directory/nest.sh" "$directory" || fail "$nest: $(cat "$directory"/err.*)"
	check "$nest"
done
exit 0
