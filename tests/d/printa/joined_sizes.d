/* Keys that are integers join whatever their sizes: equal values share a row. */
#pragma D option quiet

BEGIN
{
	@n[1, "a"] = count();
	@n[-2, "b"] = count();
	@s[-2L, "b"] = sum(20);
	@s[1L << 40, "c"] = sum(30);
	printa("%d %s %@d %@d\n", @n, @s);
	exit(0);
}
