#!/bin/bash
# Members of the kernel's structs, against what the program says of itself: numbers, strings, arrays,
# unions, members of unnamed structs, bit-fields, pointers to functions; and print() of structs.
#
# The program's calls have an argument that no other call has, since vmtap's own child makes such a
# call, too, before it executes the program.
# tests: src/kernel/bpf/btf_lookup.c src/usdt/elf/btf.c
set -u
. tests/e2e/common
need_kernel
[ -r /sys/kernel/btf/vmlinux ] || { echo "the kernel does not describe its types"; exit 77; }

cat >"$directory/types.c" <<'C'
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int one = 1, file = open(argv[0], O_RDONLY), fd = socket(AF_INET, SOCK_STREAM, 0);
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	struct rlimit limit;
	struct stat status;

	(void)argc;
	/* descriptors of known numbers, with others that are not open before them */
	if (lseek(file, 1234, SEEK_SET) != 1234 || dup2(file, 20) != 20 || dup2(fd, 21) != 21)
		return 1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	bind(fd, (struct sockaddr *)&address, sizeof(address));
	listen(fd, 7);
	getsockname(fd, (struct sockaddr *)&address, &size);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	nice(3);
	getrlimit(RLIMIT_NOFILE, &limit);
	fstat(file, &status);
	printf("known: %d %d %lu %lu %lu %o %ld\n", getpid(), nice(0), (unsigned long)limit.rlim_cur,
		(unsigned long)status.st_ino, (unsigned long)status.st_size, status.st_mode, 1234L);
	printf("socket: %d %d 7 1 0 %x\n", AF_INET, ntohs(address.sin_port), INADDR_LOOPBACK);
	fflush(stdout);
	syscall(SYS_getppid, 77);
	syscall(SYS_getpgid, 77);
	if (!fork()) {
		syscall(SYS_getpgid, 77);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
C
$CC -O1 -o "$directory/types" "$directory/types.c" 2>"$directory/log" || fail "$(cat "$directory/log")"

cat >"$directory/types.d" <<'D'
syscall::getppid:entry
/pid == $target && arg0 == 77/
{
	this->file = curthread->files->fdt->fd[20];
	this->sock = ((struct socket *)curthread->files->fdt->fd[21]->private_data)->sk;
	printf("seen: %d %d %lu %lu %ld %o %ld\n", curthread->tgid, curthread->static_prio - 120,
	    curthread->signal->rlim[7].rlim_cur, this->file->f_inode->i_ino, this->file->f_inode->i_size,
	    this->file->f_inode->i_mode, this->file->f_pos);
	printf("sock: %d %d %d %d %d %x\n", this->sock->__sk_common.skc_family, this->sock->__sk_common.skc_num,
	    this->sock->sk_max_ack_backlog, this->sock->__sk_common.skc_reuseport, this->sock->__sk_common.skc_reuse,
	    ntohl(this->sock->__sk_common.skc_rcv_saddr));
	printf("union: %d\n", this->sock->__sk_common.skc_addrpair >> 32 == this->sock->__sk_common.skc_rcv_saddr);
	printf("name: %s %s %d\n", stringof(curthread->comm), stringof(this->file->f_path.dentry->d_name.name),
	    sizeof(curthread->comm));
	printf("function: %a\n", (uintptr_t)this->file->f_op->llseek);
	@reuse[this->sock->__sk_common.skc_reuseport, curthread->signal->is_child_subreaper] = count();
}
syscall::getpgid:entry
/arg0 == 77 && (ppid == $target || pid == $target)/
{
	printf("reaper: %d %d\n", curthread->signal->is_child_subreaper, curthread->signal->has_child_subreaper);
}
END { printa("reduced: %d %d %@d\n", @reuse); }
D
# The members hold the machine's numbers: in a pid namespace, the process's own number is with those
# of all its namespaces.
nested=false
[ "$(stat -Lc %i /proc/self/ns/pid)" = $((0xeffffffc)) ] || nested=true
! $nested ||
	sed -i 's/curthread->tgid/curthread->thread_pid->numbers[curthread->thread_pid->level].nr/' "$directory/types.d"
"$VMTAP" trace -q -s "$directory/types.d" -c "$directory/types" >"$directory/out" 2>"$directory/err" || fail "$(cat "$directory/err")"
[ -n "$(sed -n 's/^known: //p' "$directory/out")" ] || fail "$(cat "$directory/out" "$directory/err")"
[ "$(sed -n 's/^known: //p' "$directory/out")" = "$(sed -n 's/^seen: //p' "$directory/out")" ] || fail "members: $(cat "$directory/out")"
[ "$(sed -n 's/^socket: //p' "$directory/out")" = "$(sed -n 's/^sock: //p' "$directory/out")" ] || fail "the socket: $(cat "$directory/out")"
has out '^union: 1$'
has out '^name: types types 16$'
has out '^function: vmlinux`[a-z0-9_]*llseek[a-z0-9_]*$'
# bit 0 of the flags, then bit 1, which says that an ancestor is one
[ "$(sed -n 's/^reaper: //p' "$directory/out" | tr '\n' ' ')" = "1 0 0 1 " ] || fail "bit-fields: $(cat "$directory/out")"
has out '^reduced: 1 1 1$'

# print() of structs as it shows them: types, nested and unnamed members, bit-fields, arrays, functions.
cat >"$directory/print.d" <<'D'
syscall::getppid:entry
/pid == $target && arg0 == 77/
{
	printf("== task %d\n", pid); print(curthread);
	printf("== signal\n"); print(curthread->signal);
	printf("== sock\n"); print(((struct socket *)curthread->files->fdt->fd[21]->private_data)->sk);
	printf("== operations\n"); print(curthread->files->fdt->fd[20]->f_op);
	printf("== mm\n"); print(curthread->mm);
	printf("== cred\n"); print(curthread->cred);
	printf("== files\n"); print(curthread->files);
	printf("== fs\n"); print(curthread->fs);
	printf("== pid\n"); print(curthread->thread_pid);
	printf("== entity\n"); print(&curthread->se);
	printf("== end\n");
	exit(0);
}
D
"$VMTAP" trace -q -x printsize=65536 -s "$directory/print.d" -c "$directory/types" >"$directory/printed" 2>"$directory/err" || fail "$(cat "$directory/err")"
section() { # name
	awk -v wanted="$1" '/^== / { in_it = $2 == wanted } in_it' "$directory/printed" >"$directory/out"
}
section task
has out '^ +\(struct task_struct\) \{$'
pid=$(sed -n 's/^== task //p' "$directory/out")
$nested || has out "^ +\.tgid = \(int\)$pid,$"
read -r _ _ nice _ < <(grep "^known: " "$directory/printed")
has out "^ +\.static_prio = \(int\)$((120 + nice)),$"
has out "^ +\(char\)'t',$"
has out '^ +\.real_parent = \(struct task_struct \*\)0xf'
section signal
has out '^ +\.is_child_subreaper = \(unsigned int\)1,$'
! grep -q 'has_child_subreaper' "$directory/out" || fail "a bit that is not set: $(cat "$directory/out")"
section sock
has out '^ +\.skc_reuseport = \(unsigned char\)1,$'
has out '^ +\.sk_max_ack_backlog = \(unsigned int\)7,$'
section operations
has out '^ +\.llseek = \(function \*\)0xf'
for what in mm cred files fs pid entity; do
	section $what
	[ "$(grep -cE '^ +\.[a-z_0-9]+ = ' "$directory/out")" -gt 2 ] || fail "$what: $(cat "$directory/out")"
done

# What the kernel lacks is named.
lacks() { # expression, message
	"$VMTAP" trace -n "syscall::getppid:entry { $1; }" >"$directory/out" 2>"$directory/err" && fail "$1 is accepted"
	has err "$2"
}
lacks 'print((struct no_such_thing *)curthread)' "has type 'struct no_such_thing' with size 0; cannot print"
lacks 'trace(((struct no_such_thing *)curthread)->x)' 'no struct no_such_thing definition is available'
lacks 'trace(curthread->pidd)' 'pidd is not a member of struct task_struct'
exit 0
