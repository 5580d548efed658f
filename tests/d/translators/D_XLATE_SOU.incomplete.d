/*
 * @status 1
 * @options -x errtags 
 */
struct s;
translator struct s < int p > {
};
BEGIN
{
	exit(0);
}
