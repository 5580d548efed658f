/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x(int a, int a);
};
BEGIN
{
	exit(0);
}
