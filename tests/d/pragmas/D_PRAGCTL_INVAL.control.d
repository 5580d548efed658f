/*
 * @status 1
 * @options -x errtags
 */
#define X 1
BEGIN
{
}
