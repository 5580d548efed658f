/*
 * exception_storms.d: sites that raise many exceptions within a second
 *
 * Question: Which exceptions are raised, and who catches them?
 *
 *     $ vmtap trace exception_storms --lossless -c 'toy redefine.toy' 1000
 *          AT ms  STORM OF
 *              0  ArgumentError raised in redefine.toy:21
 *
 *     CLASS         FILE           LINE     STORMS
 *     ArgumentError redefine.toy     21          1
 *
 * Reading: A line when a site has raised 100 exceptions within a second, or as many as the
 * argument says, then the number of such seconds for each site. A second begins with the
 * first exception of a site. A program that uses exceptions where a test would do is slow,
 * and shows up here.
 *
 * Providers: vm, ruby, php.
 *
 * Cost: One event for each exception.
 */
#pragma D option quiet
#pragma D option defaultargs

/* The argument is how many exceptions of one site within a second make a storm. */
inline int64_t limit = $1 ? $1 : 100;

BEGIN
{
	start = timestamp;
	printf("%10s  %s\n", "AT ms", "STORM OF");
}

#include "parts/raises.d"

/* A second begins with the first exception of a site after the last second. */
vm$target:::raise,
ruby$target:::raise,
php$target:::exception-thrown
/this->counts &&
    timestamp - since[pid, this->class, this->file, this->line] > 1000000000/
{
	since[pid, this->class, this->file, this->line] = timestamp;
	raised[pid, this->class, this->file, this->line] = 0;
}

vm$target:::raise,
ruby$target:::raise,
php$target:::exception-thrown
/this->counts && ++raised[pid, this->class, this->file, this->line] == limit/
{
	printf("%10d  %s raised in %s:%d\n", (timestamp - start) / 1000000, this->class,
	    this->file, this->line);
	@storms[this->class, this->file, this->line] = count();
}

END
{
	printf("\n");
	printf("%-32s %-32s %6s %10s\n", "CLASS", "FILE", "LINE", "STORMS");
	printa("%-32s %-32s %6d %@10d\n", @storms);
}
