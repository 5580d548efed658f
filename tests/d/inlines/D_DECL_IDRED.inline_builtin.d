/*
 * @status 1
 * @options -x errtags 
 */
inline int pid = 1;
BEGIN
{
	exit(0);
}
