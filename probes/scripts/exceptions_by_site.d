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
 * their share. PHP does not say where. The site that raised most comes last.
 *
 * Providers: vm, ruby, php.
 *
 * Cost: One event for each exception.
 */
#pragma D option quiet

uint64_t raised;

#include "parts/raises.d"

vm$target:::raise,
ruby$target:::raise,
php$target:::exception-thrown
/this->counts/
{
	@raised[this->class, this->file, this->line] = count();
	@share[this->class, this->file, this->line] = sum(100);
	raised++;
}

END
{
	normalize(@share, raised ? raised : 1);
	printf("%-32s %-32s %6s %10s %6s\n", "CLASS", "FILE", "LINE", "RAISED", "SHARE");
	printa("%-32s %-32s %6d %@10d %@5d%%\n", @raised, @share);
}
