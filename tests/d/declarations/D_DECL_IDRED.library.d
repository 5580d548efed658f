/*
 * @status 1
 * @options -x errtags 
 */
int SIGKILL;

BEGIN
{
}
