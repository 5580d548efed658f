/*
 * A line for each event, under a heading; a flag in a number. (iosnoop.d in the guide.)
 */
#pragma D option quiet

BEGIN
{
	printf("%10s %2s\n", "GENERATION", "RW");
}

vm$target:::gc-start
{
	printf("%10d %2s\n", args[1],
	args[2] & 1 ? "F" : "P");
}
