/* clear() keeps the keys, with zero values. */
#pragma D option quiet

BEGIN
{
	@["a"] = sum(2);
	@["b"] = sum(5);
	clear(@);
}

BEGIN
{
	@["b"] = sum(1);
	exit(0);
}
