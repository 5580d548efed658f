/* User addresses are one type of key, kernel addresses another: usym() joins with umod(), and a
 * row shows its keys in the form of the first aggregation. */
#pragma D option quiet

BEGIN
{
	@one[usym(16), "a"] = count();
	@two[umod(16), "a"] = sum(3);
	@two[uaddr(17), "b"] = sum(4);
	@kernel[sym(32)] = count();
	@module[mod(32)] = count();
	printa("%A %s %@d %@d\n", @one, @two);
	printa(@one, @two);
	printa(@kernel, @module);
	exit(0);
}
