/*
 * Option table: consecutive lines of the same columns are a table, whose columns of texts are as
 * wide as their longest value; other lines are not changed, and end the table. Control characters
 * in strings are spelled out; bytes that are not UTF-8 too.
 * @options -q -x table
 */
vm*:::method-entry
{
	@calls[copyinstr(arg0), copyinstr(arg1)] = count();
	@lines[copyinstr(arg0), copyinstr(arg1)] = sum(arg3);
	@one[copyinstr(arg1)] = quantize(arg3);
}

END
{
	printf("%-20s %-20s %8s %6s\n", "CLASS", "METHOD", "CALLS", "LINES");
	printa("%-20s %-20s %@8d %@5d%%\n", @calls, @lines);
	printf("%-10s %3d\n", "two", 2);
	printf("%-10s %3d\n", "columns", 12345);
	printf("no table: %-10s %3d\n", "x\ty", 1);
	printf("%10s %-3d\n", "right", 1);
	printf("%10s %-3d\n", "", 22);
	printa("%s%@d\n", @one);
	trace("end\n");
}
