/*
 * @status 1
 * @options -x errtags 
 */
inline int A = later;
int later;
BEGIN
{
	exit(0);
}
