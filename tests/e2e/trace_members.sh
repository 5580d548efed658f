#!/bin/bash
# What scripts see of a thread, its process and its files, member by member, against what the program
# itself and /proc say; kernel stacks begin in the kernel's own code.
# tests: src/kernel/bpf/task_layout.c
set -u
. tests/e2e/common
need_kernel

# FILE and words. It prints what it knows of itself, each line "NAME VALUE", at its end. Called by
# another name, it ends at once.
cat >"$directory/member.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long microseconds(const struct timeval *time)
{
	return time->tv_sec * 1000000 + time->tv_usec;
}

static void use(long wanted)
{
	struct timespec used;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (used.tv_sec * 1000000 + used.tv_nsec / 1000 < wanted);
}

int main(int argc, char **argv)
{
	struct rusage children, own;
	int ends[2], file, status;
	struct timespec now;

	if (!strcmp(argv[0], "vmtap-brief"))
		return 0;
	file = open(argv[1], O_RDWR | O_CREAT, 0600);
	if (file < 0 || pipe(ends) || write(file, "1234567", 7) != 7)
		return 77;
	if (!fork()) {
		use(50000);
		_exit(0);
	}
	wait(&status);
	for (int i = 1; i < argc; i++)
		if (!fork()) {
			execl(argv[0], "vmtap-brief", "a word", argv[i], NULL);
			_exit(9);
		}
	while (wait(&status) > 0)
		;
	prctl(PR_SET_NAME, "vmtap-member");
	use(60000);
	clock_gettime(CLOCK_REALTIME, &now);
	getrusage(RUSAGE_CHILDREN, &children);
	getrusage(RUSAGE_THREAD, &own);
	/* four calls that are looked at */
	syscall(SYS_lseek, file, 0, SEEK_CUR);
	syscall(SYS_lseek, ends[0], 0, SEEK_CUR);
	syscall(SYS_lseek, 700, 0, SEEK_CUR);
	syscall(SYS_lseek, -1, 0, SEEK_CUR);
	usleep(1000);
	printf("argc %d\nchildren %ld\nused %ld\nnow %ld\n", argc,
		microseconds(&children.ru_utime) + microseconds(&children.ru_stime),
		microseconds(&own.ru_utime) + microseconds(&own.ru_stime), (long)now.tv_sec);
	fflush(stdout);
	return 0;
}
C
$CC -O1 -o "$directory/member" "$directory/member.c" || fail "compiling"
place=$(mktemp -d /dev/shm/vmtap.XXXXXX) || place=$(mktemp -d)
trap 'rm -rf "$place"; for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null; done; rm -rf "$directory"' EXIT
file=$place/some/file
mkdir -p "$place/some"
mount=$(stat -c %m "$place")

cat >"$directory/member.d" <<'D'
syscall::lseek:entry /pid == $target && execname == "vmtap-member" && !done/
{
	done = 1;
	printf("psargs %s\nargc %d\nstart %d %d\nlwp start %d\n", curpsinfo->pr_psargs, curpsinfo->pr_argc,
		curpsinfo->pr_start.tv_sec, curpsinfo->pr_start.tv_nsec < 1000000000,
		curlwpsinfo->pr_start.tv_sec);
	printf("time %d\n", curlwpsinfo->pr_time.tv_sec * 1000000 + curlwpsinfo->pr_time.tv_nsec / 1000);
	printf("ctime %d\n", curpsinfo->pr_ctime.tv_sec * 1000000 + curpsinfo->pr_ctime.tv_nsec / 1000);
	printf("size %d\nlwp %d %d\n", curpsinfo->pr_size >= 1000, curpsinfo->pr_lwp.pr_lwpid == tid,
		xlate <psinfo_t *> (curthread)->pr_lwp.pr_pri == curlwpsinfo->pr_pri);
	printf("cpu %d %d %d %d\n", curcpu->cpu_id, curcpu->cpu_chip, curcpu->cpu_lgrp, curcpu->cpu_pset);
	printf("wall %d\ncwd %s\n", walltimestamp / 1000000000, cwd);
}
syscall::lseek:entry /pid == $target && execname == "vmtap-member"/
{
	printf("file %s %s %s %s %s %d\n", fds[arg0].fi_name, fds[arg0].fi_dirname, fds[arg0].fi_pathname,
		fds[arg0].fi_mount, fds[arg0].fi_fs, fds[arg0].fi_offset);
	@names[fds[arg0].fi_name] = count();
	@paths[fds[arg0].fi_pathname, fds[arg0].fi_oflags & O_ACCMODE] = count();
}
proc:::exec-success /execname == "vmtap-brief" || ppid == $target/ { printf("brief %s\n", curpsinfo->pr_psargs); }
syscall::clock_nanosleep:entry /pid == $target && execname == "vmtap-member"/
	{ self->sleeps = 1; stack(); sym(caller); printf("\ndepth %d\n", stackdepth); }
sched:::sleep /pid == $target && self->sleeps/ { stack(2); @[stack(2)] = count(); self->sleeps = 0; }
END { printa("name %s %@d\n", @names); printa("path %s %d %@d\n", @paths); }
D
run 0 trace -q -s "$directory/member.d" -c "$directory/member $file two words"
has_not err error # losses of our program show in the numbers; on a busy machine, events of others may be lost
value() {
	sed -n "s/^$1 //p" "$directory/out" | head -1
}
near() { # what, this, that, difference
	[ -n "$2" ] && [ -n "$3" ] && [ $(($2 - $3)) -le "$4" ] && [ $(($3 - $2)) -le "$4" ] || fail "$1: $2 and $3"
}
has out "^psargs $directory/member $file two words\$"
[ "$(grep -c '^argc 4$' "$directory/out")" = 2 ] || fail "pr_argc"
near "start" "$(value start | cut -d' ' -f1)" "$(value now)" 60
[ "$(value start)" = "$(value 'lwp start') 1" ] || fail "start of the first thread"
# The kernel adds up the time of a thread that runs at its clock's ticks.
near "pr_time" "$(value time)" "$(value used)" 20000
near "pr_ctime" "$(value ctime)" "$(value children)" 20000
[ "$(value ctime)" -ge 50000 ] || fail "pr_ctime: $(value ctime)"
has out '^size 1$'
has out '^lwp 1 1$'
near "walltimestamp" "$(value wall)" "$(value now)" 10
has out "^cwd $(pwd -P)\$"
read -r cpu chip node set <<<"$(value cpu)"
[ "$chip" = "$(cat "/sys/devices/system/cpu/cpu$cpu/topology/physical_package_id")" ] || fail "cpu_chip $chip"
[ ! -e "/sys/devices/system/cpu/cpu$cpu/node0" ] || [ "$node" = 0 ] || fail "cpu_lgrp $node"
[ "$set" = 0 ] || fail "cpu_pset"
type=$(stat -f -c %T "$file")
has out "^file file $place/some $file $mount $type 7\$"
[ "$(grep -c '^file <unknown> <unknown> <unknown> .* pipefs 0$' "$directory/out")" = 1 ] || fail "a pipe"
[ "$(grep -c '^file <none> <none> <none> <none> <none> -1$' "$directory/out")" = 2 ] || fail "what is not open"
has out '^name file 1$'
has out '^name <none> 2$'
has out "^path $file 2 1\$"
# Programs that have ended when their event is read.
for word in "$file" two words; do
	has out "^brief vmtap-brief a word $word\$"
done
# Kernel stacks, with no frame of what runs the program.
has_not out 'bpf|__traceiter'
has out 'vmlinux`(do_syscall_64|x64_sys_call|syscall_trace_enter|__syscall_)'
has out 'vmlinux`(__)?schedule'
[ "$(value depth)" -ge 2 ] || fail "stackdepth"
[ "$(grep -c 'vmlinux`__schedule' "$directory/out")" = 2 ] || fail "stacks of a sleep"

# What is known of other threads than the running one, and what is not.
run 1 trace -n 'sched:::wakeup { trace(args[1]->pr_psargs); }'
has err ' args\[1\]->pr_psargs needs the memory of another process than the one that runs'
has err '\(of other processes, pr_fname is known; of the one that runs, curpsinfo->pr_psargs and pr_argc\)$'
run 1 trace -n 'sched:::wakeup { trace(curcpu->cpu_info); }'
has err 'cpu_info needs the data of the kernel'
run 1 trace -n 'syscall::read:entry { fd = arg0; }
	syscall::read:return { printf("%s", fds[fd].fi_name); }'
has err 'reads memory at an address that is not computed from the probe'
has err 'keep the result \(self->path = fds\[arg0\].fi_pathname\)$'
run 0 trace -q -c "$VMTAP --help" -n 'syscall::write:entry /pid == $target/ { self->path = fds[arg0].fi_pathname; }
	syscall::write:return /pid == $target && self->path != NULL/ { printf("<%s> %d\n", self->path, arg1); }'
has out '^<.+> [1-9][0-9]*$'

# A type of the kernel is also known to a script that uses it in none but these ways.
run 0 trace -q -c /bin/true -n 'syscall::exit_group:entry /pid == $target/
{
	printf("size %d %d\n", (uint64_t)(curthread + 1) - (uint64_t)curthread == sizeof(struct task_struct),
		offsetof(struct files_struct, fdt) > 0);
	printf("uid %d\n", ((struct cred *)curthread->real_cred)[0].uid.val);
	print((struct mm_struct *)curthread->mm);
	exit(0);
}'
has_not err error
has out '^size 1 1$'
has out '^uid 0$'
has out '\(struct mm_struct\) \{$'
run 1 trace -q -c /bin/true -n 'syscall::exit_group:entry { print((struct vmtap_none *)arg0); }'
has err "'struct vmtap_none' with size 0"

# A negative int argument is negative in every use of args[], also as a length or as a file.
cat >"$directory/negative.c" <<'C'
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

int main(void)
{
	char *bytes = strdup("some bytes");

	setsockopt(1, 1, 2, bytes, 4);
	return kill(-99999, 0) != -1;
}
C
$CC -o "$directory/negative" "$directory/negative.c" || fail "compiling"
for option in yes no; do
	run 0 trace -q -x "reduce=$option" -c "$directory/negative" -n 'syscall::kill:entry /pid == $target && args[0] < 0/
	{
		@ = min(args[0]);
		@sums = sum((int64_t)args[0] + 1);
		@keys[(int64_t)args[0], args[0] == -99999] = count();
	}
	syscall::setsockopt:entry /pid == $target/
	{
		@text[stringof(copyin((uintptr_t)args[3], args[4])), fds[args[0]].fi_fs == fds[(int)arg0].fi_fs] = count();
		@text[copyinstr(arg3, args[4]), fds[args[0]].fi_fs == fds[arg0].fi_fs] = count();
	}
	END { printa("text %s %d %@d\n", @text); printa("min %@d\n", @); printa("sum %@d\n", @sums); printa("key %d %d %@d\n", @keys); }'
	has_not err error
	has out '^text some 1 2$'
	has out '^min -99999$'
	has out '^sum -99998$'
	has out '^key -99999 1 1$'
done
exit 0
