/*
 * @status 1
 * @options -x errtags 
 */
inline string v = pid;
BEGIN
{
	exit(0);
}
