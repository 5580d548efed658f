/*
 * Who requires what: a text kept from one probe to the next in the same thread, freed by
 * storing NULL, and compared with NULL. (proc:::exec and its two ends in the guide.)
 */
#pragma D option quiet

vm$target:::require-entry
{
	self->by = copyinstr(arg1);
}

vm$target:::parse-begin
/self->by != NULL/
{
	@[self->by, copyinstr(arg0)] = count();
	self->by = NULL;
}

vm$target:::raise
/self->by != NULL/
{
	self->by = NULL;
}

END
{
	printf("%-20s %-20s %s\n", "FILE", "REQUIRES", "TIMES");
	printa("%-20s %-20s %@d\n", @);
}
