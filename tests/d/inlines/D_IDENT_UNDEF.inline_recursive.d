/*
 * @status 1
 * @options -x errtags 
 */
inline int R = R + 1;
BEGIN
{
	exit(0);
}
