/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	trace(0x12345678901234567);
}
