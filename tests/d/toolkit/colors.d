#!/usr/sbin/dtrace -Zs
/*
 * colors.d - calls and what happens inside them, in terminal colours.
 */
#pragma D option quiet
#pragma D option switchrate=10

self int depth;

dtrace:::BEGIN
{
	color_ruby = "\033[2;35m";		/* violet, faint */
	color_line = "\033[1;35m";		/* violet, bold */
	color_off = "\033[0m";			/* default */

	self->depth = 0;
	printf("%s %6s %10s  %-16s %-4s %s -- %s\n", "C", "PID", "DELTA(us)", "FILE:LINE", "", "TYPE", "NAME");
}

ruby*:::method-entry, ruby*:::method-return,
ruby*:::cmethod-entry, ruby*:::cmethod-return
/self->last == 0/
{
	self->last = timestamp;
}

ruby*:::method-entry
{
	this->delta = (timestamp - self->last) / 1000;
	printf("%s%d %6d %10d  %-16s %-4d %-6s %*s-> %s%s\n", color_ruby,
	    cpu, pid, this->delta, basename(copyinstr(arg2)), arg3, "method",
	    self->depth * 2, "", copyinstr(arg1), color_off);
	self->depth++;
	self->last = timestamp;
}

ruby*:::method-return
{
	this->delta = (timestamp - self->last) / 1000;
	self->depth -= self->depth > 0 ? 1 : 0;
	printf("%s%d %6d %10d  %-16s %-4d %-6s %*s<- %s%s\n", color_line,
	    cpu, pid, this->delta, basename(copyinstr(arg2)), arg3, "method",
	    self->depth * 2, "", copyinstr(arg1), color_off);
	self->last = timestamp;
}
