/* What one clause records must fit into the buffer. No tag.
 * @status 1
 */
#pragma D option bufsize=300

BEGIN
{
	trace("a string is as long as strsize");
	trace("two are more than 300 bytes");
	exit(0);
}
