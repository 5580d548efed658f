#!/usr/sbin/dtrace -Zs
/*
 * objnew.d - new objects by class, and where they are allocated.
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

ruby*:::object-create
{
	this->class = (char *)copyin(arg0, strlen(copyinstr(arg0)) + 1);
	this->class[3] = '\0';
	@objs[stringof(this->class), basename(copyinstr(arg1))] = count();
	@lines[copyinstr(arg0), arg2] = count();
}

dtrace:::END
{
	printf("   %-10s %-32s %8s\n", "CLASS", "FILE", "COUNT");
	printa("   %-10s %-32s %@8d\n", @objs);
	printa(@lines);
}
