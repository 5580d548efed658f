/* Addresses and texts of events are kept as they were when they were recorded. */
vm*:::method-entry
{
	self->id = speculation();
}

vm*:::method-entry
{
	speculate(self->id);
	usym(16);
	printf("%A %s %d", 0x1234, copyinstr(arg1), arg3);
	uaddr(17);
}

vm*:::gc-start
{
	commit(self->id);
}
