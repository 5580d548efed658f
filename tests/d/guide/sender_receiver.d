/*
 * A table with three keys, the program's name among them. (proc:::signal-send in the
 * guide.)
 */
#pragma D option quiet

vm$target:::thread-wakeup
{
	@[execname, stringof(arg1 == 1 ? "main" : "worker"), arg2] = count();
}

END
{
	printf("%20s %20s %12s %s\n",
	    "PROGRAM", "THREAD", "CAP", "COUNT");
	printa("%20s %20s %12d %@d\n", @);
}
