/*
 * @status 1
 * @options -x errtags
 */
vm1:::gc-start
{
}
