/* A value that is either a block or not cannot be assigned. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	this->p = pid ? alloca(8) : 0;
}
