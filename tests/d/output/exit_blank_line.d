/* At the end comes a blank line when there is an aggregation, after END, quiet or not, and what
 * printa() has not printed; in the order of first mention. */
BEGIN
{
	@second = sum(2);
	@printed = sum(3);
	exit(0);
}

END
{
	@later["k"] = count();
	printa("%@d\n", @printed);
}
