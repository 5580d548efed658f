/*
 * @status 1
 * @options -x errtags 
 */
inline int one = 1;
inline int one = 1;
BEGIN
{
	exit(0);
}
