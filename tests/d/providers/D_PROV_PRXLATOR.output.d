/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x(int a) : (char *a);
};
BEGIN
{
	exit(0);
}
