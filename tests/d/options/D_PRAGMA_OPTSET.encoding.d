/* @status 1 */
/* @options -xerrtags */
/* Encodings are ascii and utf8. */
BEGIN
{
	#pragma D option encoding=latin1
}
