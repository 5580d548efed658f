/* Without a format: a newline, then a line for each element. */
#pragma D option quiet

BEGIN
{
	@["b"] = sum(20);
	@["a"] = sum(3);
	@n = count();
	printa(@);
	printa(@n);
	exit(0);
}
