/*
 * @status 1
 * @options -x errtags 
 */
struct s {
	int x;
};
translator struct s < int p > {
	z = 1;
};
BEGIN
{
	exit(0);
}
