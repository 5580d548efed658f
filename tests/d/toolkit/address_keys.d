#!/usr/sbin/dtrace -s
/*
 * address_keys.d - addresses of the program as keys (%A, %a) and by themselves.
 */
#pragma D option quiet

vm$target:::object-create
{
	@[ufunc(arg5), uaddr(arg5)] = count();
	@sized[arg5] = sum(arg1);
}

END
{
	printa("%A %A %8@d\n", @);
	printa("%A %@d\n", @sized);
	printa("%p %@d\n", @sized);
}
