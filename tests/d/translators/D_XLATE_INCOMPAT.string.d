/*
 * @status 1
 * @options -x errtags 
 */
struct s {
	int x;
};
translator struct s < int p > {
	x = "text";
};
BEGIN
{
	exit(0);
}
