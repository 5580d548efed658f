/* bcopy() writes only what D programs may write. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	bcopy(alloca(4), (void *)arg0, 4);
}
