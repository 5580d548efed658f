/*
 * @options --via=stream
 * @status 1
 */
#pragma D option quiet

io:::start
{
	@[args[1]->dev_statname, execname, pid] = sum(args[0]->b_bcount);
	printf("%s\n", args[0]->b_flags & B_READ ? "R" : "W");
}

END
{
	printa("%10s %20s %10d %15@d\n", @);
}
