/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	a[1] = 1;
	a[1, 2] = 2;
}
