/*
 * syscalls_by_program.d: how often each program makes each system call
 *
 * Question: What does the whole machine do?
 *
 *     $ vmtap trace syscalls_by_program --seconds 10
 *     PROGRAM         CALL                      CALLS
 *     ...
 *     cc1             newfstatat                  279
 *     collect2        newfstatat                  342
 *     make            rt_sigaction                375
 *     ld              newfstatat                  384
 *     cc1             openat                      549
 *     ld              read                        702
 *     ld              lseek                      2217
 *     cc1             readlink                   2526
 *
 * Reading: All processes of the machine are counted, vmtap aside, until vmtap is
 * interrupted; with -p or -c, only that process. A program's name is that of
 * its process, which may change it. The most frequent calls come last.
 *
 * Providers: syscall.
 *
 * Cost: Each system call of the machine takes about 200 ns longer. Nothing is delivered
 * before the end. It needs the kernel's privilege.
 */
#pragma D option quiet

syscall:::entry
/$target == 0 || pid == $target/
{
	@[execname, probefunc] = count();
}

END
{
	printf("%-20s %-24s %12s\n", "PROGRAM", "CALL", "CALLS");
	printa("%-20s %-24s %@12d\n", @);
}
