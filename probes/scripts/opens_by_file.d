/*
 * opens_by_file.d: which files each program opens, and what fails
 *
 * Question: What does the whole machine do?
 *
 *     $ vmtap trace opens_by_file --seconds 10
 *     PROGRAM  FILE                                                 ERRNO    OPENS
 *     ...
 *     ld       /usr/lib/gcc/x86_64-linux-gnu/12/libgcc.so               2       12
 *     ld       /usr/lib/gcc/x86_64-linux-gnu/12/libgcc_s.so.1           2       12
 *     cc1      /usr/lib/gcc/x86_64-linux-gnu/12/include/stddef.h        0       21
 *     ld       /usr/lib/gcc/x86_64-linux-gnu/12/libgcc_s.so             0       24
 *     cc1      /usr/include/x86_64-linux-gnu/bits/wordsize.h            0       26
 *
 * Reading: The path is what the program has passed; one that begins without a slash starts
 * at the program's directory, or at another one that it has named. ERRNO is 0 for a file
 * that was opened, 2 for one that does not exist, 13 for one that is not allowed. With -p
 * or -c, the files that this process opens.
 *
 * Providers: syscall.
 *
 * Cost: About 400 ns for each call that opens a file. Nothing is delivered before the end.
 * It needs the kernel's privilege.
 */
#pragma D option quiet

syscall::open:entry,
syscall::creat:entry
/$target == 0 || pid == $target/
{
	self->path = arg0;
}

syscall::openat:entry,
syscall::openat2:entry
/$target == 0 || pid == $target/
{
	self->path = arg1;
}

/* Only when the call returns is the path sure to be in memory. */
syscall::open:return,
syscall::creat:return,
syscall::openat:return,
syscall::openat2:return
/self->path/
{
	@[execname, copyinstr(self->path), errno] = count();
	self->path = 0;
}

END
{
	printf("%-20s %-56s %6s %8s\n", "PROGRAM", "FILE", "ERRNO", "OPENS");
	printa("%-20s %-56s %6d %@8d\n", @);
}
