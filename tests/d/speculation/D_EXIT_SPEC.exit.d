/* @options -x errtags
 * @status 1
 */
BEGIN
{
	speculate(1);
	exit(0); /* D_EXIT_SPEC */
}
