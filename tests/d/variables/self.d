/* self-> is per OS thread. */
#pragma D option quiet

vm$target:::method-entry
{
	self->depth++;
	self->last = copyinstr(arg1);
	printf("%d: %s at depth %d\n", tid, self->last, self->depth);
}

vm$target:::method-return
/self->depth/
{
	self->depth--;
	printf("%d: back to %d, last %s\n", tid, self->depth, self->last);
}
