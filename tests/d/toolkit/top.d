#!/usr/sbin/dtrace -s
/*
 * top.d - a screen of the busiest classes every 4 ms, then starts again from zero.
 *
 * USAGE: top.d [lines]
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option switchrate=10hz
#pragma D option destructive

inline int LINES = $1 == 0 ? 2 : $1;

dtrace:::BEGIN
{
	inline_screen = "\033[H\033[2J";
}

ruby*:::method-entry,
ruby*:::cmethod-entry
{
	@Calls[copyinstr(arg0)] = count();
	@Time[copyinstr(arg0)] = sum(timestamp % 1000);
}

profile:::tick-4ms
{
	printf("%s", inline_screen);
	printf("%Y,  load: %d.%02d\n\n", walltimestamp, 12 / 10, 12 % 10);
	trunc(@Calls, LINES);
	printf("%-16s %8s\n", "CLASS", "CALLS");
	printa("%-16s %8@d\n", @Calls);
	trunc(@Calls); clear(@Time);
	printf("\n");
}

profile:::tick-12ms { exit(0); }
