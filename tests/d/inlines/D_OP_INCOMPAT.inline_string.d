/*
 * @status 1
 * @options -x errtags 
 */
inline int v = "text";
BEGIN
{
	exit(0);
}
