/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x(int a) : (int b);
};
BEGIN
{
	exit(0);
}
