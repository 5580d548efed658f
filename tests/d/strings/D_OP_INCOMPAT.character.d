/* @status 1 */
/* @options -xerrtags */
/* A string is indexed by a number. */
BEGIN
{
	trace(probename["x"]);
}
