/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(curpsinfo->pr_start.tv_sec);	/* the error at the start names this line */
}
