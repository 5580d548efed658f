/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x__y();
	probe x__y(int);
};
BEGIN
{
	exit(0);
}
