/*
 * @status 1
 * @options -x errtags 
 */
translator int < int p > {
};
BEGIN
{
	exit(0);
}
