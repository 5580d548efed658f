/*
 * @status 1
 * @options -x errtags 
 */
provider aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa {
	probe x();
};
BEGIN
{
	exit(0);
}
