/* Prefixes of the keys, values used twice, flags, text only. */
#pragma D option quiet

BEGIN
{
	@c["a", 1] = count();
	@s["a", 1] = sum(20);
	@c["b", 2] = count();
	@c["b", 2] = count();
	@av = avg(3);
	@av = avg(4);
	printa("%s %@d\n", @c);
	printa("%-5s|%5d|%@5d|%@-5d|%@x\n", @c, @s);
	printa("text %%\n", @c);
	printa("%@d %@u %@5d %@05d\n", @av);
	exit(0);
}
