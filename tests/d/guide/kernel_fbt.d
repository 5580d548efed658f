/*
 * The flow through the kernel's functions.
 * @status 1
 */
#pragma D option flowindent

fbt:::
/execname == "clock" && guard++ == 0/
{
	self->traceme = 1;
}
