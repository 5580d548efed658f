/* Keys in order, the value at %@; no newline of its own. */
#pragma D option quiet

BEGIN
{
	@["b", 2] = sum(20);
	@["a", 1] = sum(3);
	printa("%-4s|%3d|%@5d|%@x\n", @);
	printa("%@d ", @);
	printf("\n");
	printa("%s\n", @);
	exit(0);
}
