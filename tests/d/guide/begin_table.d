/*
 * BEGIN fills an associative array that turns a number into a text.
 */
BEGIN
{
	why[0] = "none";
	why[1] = "heap full";
	why[2] = "time slice";
	why[3] = "yielded";
	why[4] = "finished";
}

vm$target:::thread-stop
{
	printf("thread %d stops: %s", arg1, why[arg2 & 0x7]);
}
