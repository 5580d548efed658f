/*
 * @status 1
 * @options -x errtags 
 */
provider a`b {
	probe x();
};
BEGIN
{
	exit(0);
}
