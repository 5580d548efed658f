/*
 * exceptions_by_site.d: which exceptions are raised, and where
 *
 * Question: Which exceptions are raised, and who catches them?
 *
 *     $ vmtap trace exceptions_by_site --lossless -c 'toy redefine.toy'
 *     CLASS            FILE           LINE     RAISED  SHARE
 *     Error            redefine.toy      9          1     0%
 *     LoadError        redefine.toy    116          1     0%
 *     OutOfMemoryError redefine.toy    109          1     0%
 *     StackError       redefine.toy     99          1     0%
 *     Error            redefine.toy     64         20     0%
 *     ArgumentError    redefine.toy     21       2001    98%
 *
 * Reading: The class of the exceptions, the file and line that raised them, how many, and
 * their share. The site that raised most comes last.
 *
 * Providers: vm, ruby.
 *
 * Cost: One event for each exception.
 */
#pragma D option quiet

string origin[pid_t];
uint64_t raised;

/* A VM may have the probes of several providers; those that fire first are counted. */
*$target:::raise
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

*$target:::raise
/probeprov == origin[pid]/
{
	@raised[copyinstr(arg0), copyinstr(arg1), arg2] = count();
	@share[copyinstr(arg0), copyinstr(arg1), arg2] = sum(100);
	raised++;
}

END
{
	normalize(@share, raised ? raised : 1);
	printf("%-32s %-32s %6s %10s %6s\n", "CLASS", "FILE", "LINE", "RAISED", "SHARE");
	printa("%-32s %-32s %6d %@10d %@5d%%\n", @raised, @share);
}
