/* A block or nothing cannot be assigned as one value. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	this->p = pid ? alloca(8) : 0;
}
