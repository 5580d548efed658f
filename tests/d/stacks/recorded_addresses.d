/*
 * Addresses of a recorded process stay numbers: its pid may now belong to another process. They
 * are recorded as values, as keys, and in printf and printa.
 */
vm*:::method-entry
{
	usym(arg0 & 0xff);
	uaddr(1);
	printf("%A %a", 0x1234, 0x5678);
	@modules[umod(16), ufunc(17)] = count();
	@modules[umod(16), ufunc(17)] = count();
}

END
{
	printa(@modules);
	printa("%A %-8A| %@d\n", @modules);
}
