/*
 * Like snoop.d, with the time taken in ms to three places: two keys, %3d.%03d.
 * (iotime.d in the guide.)
 */
#pragma D option quiet

BEGIN
{
	printf("%10s %2s %7s\n", "GENERATION", "RW", "MS");
}

vm$target:::gc-start
{
	start[args[0], args[1]] = timestamp;
}

vm$target:::gc-end
/start[args[0], args[1]]/
{
	this->elapsed = timestamp - start[args[0], args[1]];
	printf("%10d %2s %3d.%03d\n", args[1],
	args[2] & 1 ? "F" : "P",
	this->elapsed / 1000000, (this->elapsed / 1000) % 1000);
	start[args[0], args[1]] = 0;
}
