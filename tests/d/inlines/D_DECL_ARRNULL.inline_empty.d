/*
 * @status 1
 * @options -x errtags 
 */
inline int v[] = 1;
BEGIN
{
	exit(0);
}
