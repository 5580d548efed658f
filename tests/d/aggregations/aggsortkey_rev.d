/* Options aggsortkey and aggsortrev: by the keys, downwards. */
#pragma D option quiet
#pragma D option aggsortkey
#pragma D option aggsortrev

BEGIN
{
	@a["x", 1] = sum(5);
	@a["x", -1] = sum(1);
	@a["b", 9] = sum(7);
	@a["yy", 2] = sum(5);
	@b["x", 1] = sum(30);
	@b["x", -1] = sum(20);
	@b["b", 9] = sum(10);
	@b["yy", 2] = sum(30);
	printa("%s %d %@d %@d\n", @a, @b);
	printa(@a);
	exit(0);
}
