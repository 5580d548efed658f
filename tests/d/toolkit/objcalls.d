#!/usr/sbin/dtrace -Zs
/*
 * objcalls.d - objects compared with calls, keys of several kinds in one table.
 */
#pragma D option quiet
#pragma D option aggsortkey
#pragma D option aggsortrev

ruby*:::object-create
{
	@new[copyinstr(arg0)] = count();
	@free[copyinstr(arg0)] = sum(0);
}

ruby*:::method-entry
/ copyinstr(arg0) != "Main" && copyinstr(arg0) != NULL /
{
	@calls[copyinstr(arg0)] = count();
	@first[copyinstr(arg0)] = min(timestamp - 1000000000);
	@last[copyinstr(arg0)] = max(timestamp - 1000000000);
}

dtrace:::END
{
	printf("%-10s %8s %8s %8s %12s %12s\n", "CLASS", "CALLS", "NEW", "FREED", "FIRST", "LAST");
	printa("%-10s %8@d %8@d %8@d %12@d %@12d\n", @calls, @new, @free, @first, @last);
}
