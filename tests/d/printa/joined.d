/* Several aggregations are joined on their keys; missing values are zero. */
#pragma D option quiet

BEGIN
{
	@n["a"] = count();
	@n["b"] = count();
	@n["b"] = count();
	@s["a"] = sum(10);
	@s["c"] = sum(30);
	printa("%s %@d %@d\n", @n, @s);
	exit(0);
}
