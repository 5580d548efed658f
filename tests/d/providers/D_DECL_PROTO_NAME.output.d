/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x(int a) : (int);
};
BEGIN
{
	exit(0);
}
