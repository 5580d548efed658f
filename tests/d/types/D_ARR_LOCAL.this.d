/* this-> variables cannot be associative arrays. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	this->q[1] = 2;
}
