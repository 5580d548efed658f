/* A variable holds blocks of alloca() or other pointers, not both. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	this->p = alloca(8);
	this->p = (void *)arg0;
}
