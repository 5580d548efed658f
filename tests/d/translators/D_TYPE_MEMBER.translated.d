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

BEGIN
{
	trace(xlate <struct s> (1).z);
}
