/*
 * A clause has any number of descriptions, an optional predicate, and statements of which
 * any may be empty; several clauses of one probe run in the program's order.
 * @options -q
 */
int n;

BEGIN { ; }
BEGIN { n = 1; ; n++ }
BEGIN, BEGIN { printf("n is %d\n", n++); }
dtrace:::BEGIN, END
/ n > 3 /
{
	printf("%s %d\n", probename, n)
}
BEGIN / n == 99 / { printf("never\n"); }
BEGIN { exit(0); }
END {}
