/* @status 1 */
/* @options -xerrtags */
/* char * is no string: stringof() makes one. */
BEGIN
{
	printf("%s", (char *)1);
}
