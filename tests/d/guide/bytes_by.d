/*
 * Bytes by three keys, in columns; one column has its width before the @.
 * (whoio.d in the guide.)
 */
#pragma D option quiet

vm$target:::object-create
{
	@[copyinstr(arg0), execname, pid] = sum(args[1]);
}

END
{
	printf("%10s %20s %10s %15s\n", "CLASS", "PROGRAM", "PID", "BYTES");
	printa("%10s %20s %10d %15@d\n", @);
}
