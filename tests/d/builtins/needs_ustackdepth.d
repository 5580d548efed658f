/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(ustackdepth);	/* the error at the start names this line */
}
