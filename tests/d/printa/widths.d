/* Widths before and after the @, for every aggregating function. */
#pragma D option quiet

BEGIN
{
	@c["a"] = count();
	@s["a"] = sum(-7);
	@lo["a"] = min(3);
	@hi["a"] = max(300);
	@avg["a"] = avg(10);
	@avg["a"] = avg(15);
	@dev["a"] = stddev(10);
	@dev["a"] = stddev(20);
	printa("[%8@d] [%@8d] [%-8@d] [%@-8d] %s\n", @c);
	printa("%s %@5d|%@5d|%@5d|%@5d|%@5d|%@5d\n", @c, @s, @lo, @hi, @avg, @dev);
	printa("%@x %@o %@u %@X %@i %@p\n", @hi);
	exit(0);
}
