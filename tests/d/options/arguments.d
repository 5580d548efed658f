/*
 * Arguments of the command line: integers, strings, $$.
 * @options -q -- 42 text two-words -5 "quoted string" abc
 */
BEGIN
{
	printf("%d %s %s %d %s %s\n", $1, $$2, $3, $4 + 1, $5, $$6);
	exit(0);
}
