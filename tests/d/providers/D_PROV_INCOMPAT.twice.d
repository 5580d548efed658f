/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x();
};
provider a {
	probe y();
};
BEGIN
{
	exit(0);
}
