/*
 * What an argument is depends on its text: integers (decimal, octal, hexadecimal, with a
 * sign), names and types, else strings. $$n is always a string; escapes count in both.
 * @options -q -- 010 0x1F -7 +8 12abc 08 tally int 'a b' '"quoted"' '' 'tab\tx'
 */
int64_t tally;
BEGIN
{
	tally = 99;
	printf("%d %d %d %d\n", $1, $2, $3, $4);
	printf("%d %d\n", $5, $6);
	printf("%d %d\n", $7, sizeof($8));
	printf("%s|%s|%s|%s\n", $9, $10, $11, $12);
	printf("%s %s %s %s\n", $$1, $$3, $$7, $$12);
	printf("%d\n", 10 - $3);
	exit(0);
}
