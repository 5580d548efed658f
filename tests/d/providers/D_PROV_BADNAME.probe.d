/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx();
};
BEGIN
{
	exit(0);
}
