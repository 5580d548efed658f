/* @status 1 */
/* @options -xerrtags */
/* A char * is not a string: use stringof(). */
BEGIN
{
	printf("%s", (char *)1);
}
