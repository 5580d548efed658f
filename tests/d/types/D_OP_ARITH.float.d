/* Floating-point values are stored and printed; D does not compute with them. */
/* @status 1 */
/* @options -xerrtags */
float f;
BEGIN
{
	x = f * 2;
}
