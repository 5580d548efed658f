/*
 * @status 1
 * @options -x errtags
 */
# 7 "other.d"
BEGIN
{
	trace(nosuch);
}
