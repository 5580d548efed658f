/*
 * @status 1
 * @options -x errtags
 */
a:b:c:d:e
{
}
