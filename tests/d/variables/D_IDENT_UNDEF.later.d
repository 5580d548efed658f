/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	trace(x);
}

END
{
	x = 1;
}
