/*
 * @status 1
 * @options -x errtags 
 */
inline void v = 1;
BEGIN
{
	exit(0);
}
