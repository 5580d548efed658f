/*
 * @status 1
 * @options -x errtags 
 */
provider a1 {
	probe x();
};
BEGIN
{
	exit(0);
}
