/* @status 1 */
/* @options -xerrtags */
/* An integer is not a floating-point number. */
BEGIN
{
	printf("%f", 1);
}
