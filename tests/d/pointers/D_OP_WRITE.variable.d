/* The value assigned to a pointer variable decides whether it can be written through. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	this->p = (char *)arg0;
	*this->p = 1;
}
