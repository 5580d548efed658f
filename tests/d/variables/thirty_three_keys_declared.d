/*
 * Also of an array that is declared.
 * @status 1
 * @options -xerrtags
 */
int x[int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
	    int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int];
BEGIN
{
}
