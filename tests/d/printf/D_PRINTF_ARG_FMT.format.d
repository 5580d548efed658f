/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	s = "x";
	printf(s);
}
