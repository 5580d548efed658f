/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(uregs[3]);	/* the error at the start names this line */
}
