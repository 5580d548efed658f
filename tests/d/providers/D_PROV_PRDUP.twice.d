/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x();
	probe x();	/* again */
};
BEGIN
{
	exit(0);
}
