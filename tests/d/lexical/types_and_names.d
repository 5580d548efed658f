/*
 * In a body, the name of a type counts as a variable if ++ -- [ = ; or a comma follows;
 * else it is the type.
 * @options -q
 */
struct s { int uid_t; } v;

BEGIN
{
	id_t = 5;
	ssize_t[1] = 6;
	x = id_t;
	printf("%d %d %d %d\n", x, size_t++, ssize_t[1], sizeof(uint16_t));
	v.uid_t = (uid_t)7;
	printf("%d %d\n", v.uid_t, (uint8_t)300);
	exit(0);
}
