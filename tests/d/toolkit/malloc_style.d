#!/usr/sbin/dtrace -qs
/*
 * malloc_style.d - sizes and lifetimes of objects, by address; a table of those not freed.
 * @options -q
 */

vm$target:::object-create { size[arg5] = arg1; born[arg5] = timestamp; @outstanding[arg5] = sum(arg1); n++; }
vm$target:::object-free
/size[arg2]/
{
	@life[copyinstr(arg0)] = quantize((timestamp - born[arg2])/1000000);
	@outstanding[arg2] = sum(-size[arg2]);
	size[arg2] = 0; born[arg2] = 0;
}
END
{
	printf("%d objects\n", n);
	printa("0x%x %@u\n", @outstanding);
	printa(@life);
}
