/*
 * @options --via=stream
 * @status 1
 */
#pragma D option quiet

proc:::exec
{
	self->by = execname;
}

proc:::exec-success
/self->by != NULL/
{
	@[self->by, execname] = count();
	self->by = NULL;
}
