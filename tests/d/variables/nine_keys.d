/*
 * An array of more than eight keys: this error has no tag.
 * @status 1
 * @options -xerrtags
 */
BEGIN
{
	a[1, 2, 3, 4, 5, 6, 7, 8] = 1;
	b[1, 2, 3, 4, 5, 6, 7, 8, 9] = 1;
}
