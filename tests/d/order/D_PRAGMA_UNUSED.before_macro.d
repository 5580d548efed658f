/*
 * @status 1
 * @options -x errtags argument
 */
#pragma D binding "1.0" nowhere
BEGIN
{
	exit(0);
}
