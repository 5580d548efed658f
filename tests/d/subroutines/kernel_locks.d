/* Subroutines of the kernel compile, and are refused where no kernel is traced.
 * @status 1 */
BEGIN
{
	trace(mutex_owned((void *)arg0));
	exit(0);
}
