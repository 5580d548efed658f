/* @status 1 */
/* @options -xerrtags */
/* An integer is no floating point number. */
BEGIN
{
	printf("%f", 1);
}
