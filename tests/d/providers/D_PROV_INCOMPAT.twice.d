/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x();
};
provider a {
	probe x();
};
BEGIN
{
	exit(0);
}
