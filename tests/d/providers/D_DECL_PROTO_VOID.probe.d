/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x(int, void);
};
BEGIN
{
	exit(0);
}
