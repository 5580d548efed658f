#!/bin/bash
# Provider proc, and what the kernel keeps of processes and threads, against a program that counts
# what it does. The guide's scripts of the provider are among the clauses.
# tests: src/kernel/machine/provider_proc.c
set -u
. tests/e2e/common
need_kernel

# Its name is its own: probes fire in every process. In each round a child executes a program, after
# one that does not exist, a child ends by _exit(3) or SIGKILL, a thread runs, three signals are
# sent: one is handled, one ignored, one waited for.
cat >"$directory/procs.c" <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void handle(int number)
{
	(void)number;
}

static void *work(void *argument)
{
	return argument;
}

int main(int argc, char **argv)
{
	/* in memory that a child has from the start */
	char *missing = strdup("/nonexistent/vmtap-none"), *program = strdup(argv[2]);
	int rounds = atoi(argv[1]);
	sigset_t waited;
	pthread_t thread;

	prctl(PR_SET_NAME, "vmtap-procs");
	signal(SIGUSR1, handle);
	signal(SIGWINCH, SIG_IGN);
	sigemptyset(&waited);
	sigaddset(&waited, SIGUSR2);
	sigprocmask(SIG_BLOCK, &waited, NULL);
	for (int i = 0; i < rounds; i++) {
		pid_t child = fork();

		if (!child) {
			execl(missing, "none", NULL);
			execl(program, "vmtap-true", NULL);
			_exit(9);
		}
		waitpid(child, NULL, 0);
		child = fork();
		if (!child && i % 2)
			_exit(3);
		if (!child)
			kill(getpid(), SIGKILL);
		waitpid(child, NULL, 0);
		pthread_create(&thread, NULL, work, NULL);
		pthread_join(thread, NULL);
		kill(getpid(), SIGUSR1);
		kill(getpid(), SIGWINCH);
		kill(getpid(), SIGUSR2);
		sigwaitinfo(&waited, NULL);
	}
	return argc != 3;
}
C
echo 'int main(void) { return 0; }' >"$directory/true.c"
$CC -O1 -pthread -o "$directory/vmtap-procs" "$directory/procs.c" || fail "compiling"
$CC -O1 -o "$directory/vmtap-true" "$directory/true.c" || fail "compiling"
command="$directory/vmtap-procs 10 $directory/vmtap-true"

# Each probe once for each event, by programs and by records; the guide's whoexec, sig and progtime.
cat >"$directory/all.d" <<'D'
proc:::create /execname == "vmtap-procs"/ { @n[probename] = count(); }
proc:::create /execname == "vmtap-procs" && args[0]->pr_ppid == $target && args[0]->pr_pid != pid
	&& args[0]->pr_fname == "vmtap-procs"/ { @n["child of the target"] = count(); }
proc:::start, proc:::lwp-start, proc:::lwp-exit, proc:::exec-failure
	/execname == "vmtap-procs" || execname == "vmtap-true"/ { @n[probename] = count(); }
proc:::lwp-create /execname == "vmtap-procs" && args[0]->pr_lwpid != tid && args[1]->pr_pid == pid
	&& args[0]->pr_name == "vmtap-procs"/ { @n[probename] = count(); }
proc:::exec /execname == "vmtap-procs"/ { @n[args[0]] = count(); self->parent = 1; }
proc:::exec-success /self->parent/ { @who[execname, curpsinfo->pr_fname] = count(); self->parent = 0; }
proc:::exec-failure /self->parent/ { @failed[args[0]] = count(); self->parent = 0; }
proc:::start /execname == "vmtap-procs"/ { self->start = timestamp; }
proc:::exit /self->start/ { @time[execname] = quantize(timestamp - self->start); self->start = 0;
	@ended[execname, args[0]] = count(); }
proc:::signal-send, proc:::signal-discard
	/execname == "vmtap-procs" && args[1]->pr_fname == "vmtap-procs" && args[0]->pr_addr/
	{ @signals[probename, args[2]] = count(); }
proc:::signal-handle /execname == "vmtap-procs" && args[0] == SIGUSR1 && args[1]->si_signo == args[0] && args[2] > 1 &&
	args[1]->si_pid == pid/ { @signals[probename, args[0]] = count(); }
proc:::signal-clear /execname == "vmtap-procs"/ { @signals[probename, args[0]] = count(); }
proc:::exit /progenyof($target)/ { @n["exit of the target or a descendant"] = count(); }
END { printa("%s %@d\n", @n); printa("%s = %s %@d\n", @who); printa("errno %d %@d\n", @failed);
	printa("%s ended %d %@d\n", @ended); printa("%s %d %@d\n", @signals); printa("%s %@d\n", @time); }
D
for option in yes no; do
	run 0 trace -q -x "reduce=$option" -s "$directory/all.d" -c "$command"
	has_not err 'drop|error'
	has out '^create 20$'
	has out '^child of the target 20$'
	has out '^exit of the target or a descendant 21$' # though they have ended long ago
	has out '^start 20$'
	has out '^lwp-start 30$'
	has out '^lwp-create 10$'
	has out '^lwp-exit 31$'
	has out '^exec-failure 10$'
	has out '^/nonexistent/vmtap-none 10$'
	has out "^$directory/vmtap-true 10\$"
	has out '^vmtap-true = vmtap-true 10$'
	has out '^errno 2 10$'
	has out '^vmtap-true ended 1 10$'
	has out '^vmtap-procs ended 1 5$'
	has out '^vmtap-procs ended 2 5$'
	for signal in 10 12 28; do
		has out "^signal-send $signal 10\$"
	done
	has out '^signal-send 9 5$'
	has out '^signal-discard 28 10$'
	has out '^signal-discard 17 10$' # the end of a child, which its parent waits for
	[ "$(grep -c '^signal-discard' "$directory/out")" = 2 ] || fail "more is discarded"
	has out '^signal-handle 10 10$'
	has out '^signal-clear 12 10$'
done

# The order in one thread, and the guide's whoexec as it is written, for the program alone.
run 0 trace -q -c "$directory/vmtap-procs 1 $directory/vmtap-true" -n 'int n;
	proc:::exec /execname == "vmtap-procs"/ { self->parent = execname; }
	proc:::exec-success /self->parent != NULL/ { @[self->parent, execname] = count(); self->parent = NULL; }
	proc:::exec-failure /self->parent != NULL/ { self->parent = NULL; }
	proc:::start, proc:::lwp-start, proc:::exec, proc:::exec-success, proc:::exit, proc:::lwp-exit
	/ppid == $target && n < 6/ { printf("%s\n", probename); n++; }
	END { printf("%-20s %-20s %s\n", "WHO", "WHAT", "COUNT"); printa("%-20s %-20s %@d\n", @); }'
has out '^vmtap-procs          vmtap-true           1$'
[ "$(head -6 "$directory/out" | tr '\n' ' ')" = 'start lwp-start exec exec exec-success exit ' ] ||
	fail "order: $(head -6 "$directory/out" | tr '\n' ' ')"

# What the kernel keeps of the process, against /proc; with a probe of the process, too.
cat >"$directory/show.c" <<'C'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(void)
{
	int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char text[1024] = "", name[32];
	int pid, parent, group, session, priority, nice, threads;
	char state;

	prctl(PR_SET_NAME, "vmtap-show");
	errno = 0;
	if (nice(5) == -1 && errno)
		return 1;
	if (pread(file, text, sizeof(text) - 1, 0) <= 0)
		return 1;
	sscanf(text, "%d (%31[^)]) %c %d %d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %d %d %d", &pid,
		name, &state, &parent, &group, &session, &priority, &nice, &threads);
	printf("%s %d %d %d %d %d %d %d %c %d\n", name, pid, parent, group, session, 19 - nice, nice,
		threads, state, file);
	fflush(stdout);
	getppid();
	return 0;
}
C
sed -i 's/int pid, parent, group, session, priority, nice, threads/int pid, parent, group, session, priority, niceness, threads/; s/&nice,/\&niceness,/; s/19 - nice, nice,/19 - niceness, niceness,/' "$directory/show.c"
$CC -O1 -w -o "$directory/show" "$directory/show.c" || fail "compiling"
show='printf("%s %d %d %d %d %d %d %d %c %d\n", curpsinfo->pr_fname, curpsinfo->pr_pid,
	xlate <psinfo_t *> (curthread)->pr_ppid, curpsinfo->pr_pgid, curpsinfo->pr_sid,
	curlwpsinfo->pr_pri, curlwpsinfo->pr_nice, curpsinfo->pr_nlwp, curlwpsinfo->pr_sname,
	xlate <psinfo_t *> (curthread->group_leader)->pr_pid == pid ? 3 : 0);'
run 0 trace -q -c "$directory/show" -n "syscall::getppid:entry /pid == \$target/ { $show }"
[ "$(grep -c '^vmtap-show' "$directory/out")" = 2 ] || fail "it is not shown twice"
[ "$(sort -u "$directory/out" | grep -c '^vmtap-show')" = 1 ] || fail "/proc differs"
run 0 trace -q -c "$directory/show" -n "pid\$target:a.out:main:entry { trace(curpsinfo->pr_addr == (uintptr_t)curthread);
	trace(curlwpsinfo->pr_state == SRUN); trace(curpsinfo->pr_uid == uid); printf(\" %s\", curlwpsinfo->pr_clname); }"
has out '111 TS'
run 0 trace -q -c "$directory/show" -n 'syscall::pread64:entry /pid == $target && arg2 == 1023/ {
	printf("%s %s %s %d %d\n", fds[3].fi_name, fds[3].fi_dirname, fds[3].fi_fs, fds[3].fi_offset,
	fds[3].fi_oflags & O_LARGEFILE); } syscall::pread64:entry /pid == $target && arg2 == 1023/ { @[fds[arg0].fi_offset, sizeof(struct task_struct) > 1000] = count(); }'
has out '^stat /proc/[0-9]+ proc 0 32768$'
has out '^ +0 +1 +1$'

# Errors: what the kernel has not, and members that it has not.
run 0 trace -l -n 'proc:::'
has err '^vmtap: proc:::fault cannot be traced: Linux has no machine faults'
run 1 trace -n 'proc:::fault { }'
has err 'proc:::fault cannot be traced'
run 1 trace -n 'proc:::exex { }'
has err 'did you mean exec\?'
run 1 trace -n 'BEGIN { trace(((struct task_struct *)0)->pidd); }'
has err 'pidd is not a member of struct task_struct'
run 1 trace -n 'BEGIN { trace(((struct no_such_struct *)0)->x); }'
has err 'no struct no_such_struct definition is available'
exit 0
