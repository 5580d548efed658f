/*
 * @options -l -v
 */
BEGIN, tick-10ms
{
}
