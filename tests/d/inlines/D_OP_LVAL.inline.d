/*
 * @status 1
 * @options -x errtags 
 */
inline int three = pid + 3;

BEGIN
{
	three = 4;
}
