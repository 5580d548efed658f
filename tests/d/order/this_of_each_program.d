/*
 * @status 1
 * @options -q -x errtags -n 'BEGIN { trace(this->x); }'
 */
BEGIN
{
	this->x = 3;
}
