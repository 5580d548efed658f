/*
 * @status 1
 * @options -x errtags 
 */
provider dtrace {
	probe BEGIN2();
};
BEGIN
{
	exit(0);
}
