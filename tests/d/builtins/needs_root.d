/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(root);	/* the error at the start names this line */
}
