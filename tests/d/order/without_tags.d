/*
 * Without errtags a message has no tag.
 * @status 1
 */
BEGIN
{
	trace(nosuch);
}
