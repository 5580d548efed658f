/* If there is an aggregation, END is followed by a blank line, quiet or not, and by the
 * aggregations that printa() has not printed, in the order of their first use. */
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
