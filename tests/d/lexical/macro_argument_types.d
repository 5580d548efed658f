/*
 * An integer argument has the type of such a literal: u and l after its digits count.
 * With a sign it is an integer only if nothing else follows.
 * Words of types are the types that they are in the script.
 * @options -q -- 5 5u 5L 5ull 4294967296 0xffffffff 0xffffffffffffffff 12abl -5abc +08 long unsigned char
 */
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof($1), sizeof($2), sizeof($3), sizeof($4), sizeof($5));
	printf("%d %d %d\n", $1 > -1, $2 > -1, $6 > -1);
	printf("%u %d\n", $7, sizeof($7));
	printf("%d %d\n", $8, sizeof($8));
	printf("%s %s\n", $9, $10);
	printf("%d %d %d\n", sizeof($11), sizeof($12 $13), ($12 $13)-1);
	exit(0);
}
