/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(fds[3].fi_pathname);	/* the error at the start names this line */
}
