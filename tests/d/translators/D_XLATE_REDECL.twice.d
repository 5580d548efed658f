/*
 * @status 1
 * @options -x errtags 
 */
struct s {
	int x;
	int y;
};
translator struct s < int p > {
	x = p;
};
translator struct s < int q > {
	x = q;
};
BEGIN
{
	exit(0);
}
