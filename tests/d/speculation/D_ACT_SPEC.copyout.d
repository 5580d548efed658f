/* @options -x errtags -w
 * @status 1
 */
BEGIN
{
	speculate(1);
	copyoutstr("text", 16, 4); /* changes the process: D_ACT_SPEC */
}
