/* copyout() compiles, and is an error at the start, which says what it needs. */
/* @status 1 */
/* @options -w */
BEGIN
{
	copyout(alloca(4), arg0, 4);
	copyoutstr("text", arg0, 4);
}
