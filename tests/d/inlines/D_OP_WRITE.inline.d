/*
 * @status 1
 * @options -x errtags 
 */
inline pid_t p = pid;

BEGIN
{
	p = 4;
}
