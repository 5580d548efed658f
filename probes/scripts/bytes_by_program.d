/*
 * bytes_by_program.d: how many bytes each program reads, and in how many calls
 *
 * Question: What does the whole machine do?
 *
 *     $ vmtap trace bytes_by_program --seconds 10
 *     PROGRAM               BYTES READ        CALLS         MEAN
 *     ...
 *     make                        6269           14          447
 *     collect2                   16188           18          899
 *     gcc                        16188           24          674
 *     as                         48591           57          852
 *     cc1                      1073217          216         4968
 *     ld                       1853040          708         2617
 *
 * Reading: The bytes that read, pread64, readv, preadv and preadv2 have returned, whether
 * they came from a file, a pipe, a terminal or a socket, and their mean for a call. Files
 * that are mapped, and what recv and similar calls receive, are not included. The programs
 * that read most come last. With -p or -c, those of that process.
 *
 * Providers: syscall.
 *
 * Cost: Two hundred ns for each of these calls. Nothing is delivered before the end. It
 * needs the kernel's privilege.
 */
#pragma D option quiet

syscall::read:return,
syscall::pread64:return,
syscall::readv:return,
syscall::preadv:return,
syscall::preadv2:return
/(long)arg0 >= 0 && ($target == 0 || pid == $target)/
{
	@calls[execname] = count();
	@mean[execname] = avg(arg0);
	@bytes[execname] = sum(arg0);
}

END
{
	printf("%-20s %16s %12s %12s\n", "PROGRAM", "BYTES READ", "CALLS", "MEAN");
	printa("%-20s %@16d %@12d %@12d\n", @bytes, @calls, @mean);
}
