/*
 * @status 1
 * @options -x errtags 
 */
provider dtrace {
	probe BEGIN(int);
};
BEGIN
{
	exit(0);
}
