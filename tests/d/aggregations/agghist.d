/* Option agghist: counts and sums are drawn as bars, in one picture for each aggregation. */
#pragma D option quiet
#pragma D option agghist

BEGIN
{
	@c["read", 1] = count();
	@c["read", 1] = count();
	@c["read", 1] = count();
	@c["write", 2] = count();
	@s = sum(5);
	@n["up"] = sum(5);
	@n["down"] = sum(-10);
	@a[1] = avg(3);
	exit(0);
}

END
{
	printa(@c);
	printa("%s %d %@d\n", @c);
}
