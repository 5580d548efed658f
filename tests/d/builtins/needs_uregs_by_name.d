/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(uregs[R_RIP] == uregs[R_PC]);	/* the error at the start names this line */
}
