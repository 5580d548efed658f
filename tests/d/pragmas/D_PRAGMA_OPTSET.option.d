/*
 * @status 1
 * @options -x errtags
 */
#pragma D option nosuch
BEGIN
{
}
