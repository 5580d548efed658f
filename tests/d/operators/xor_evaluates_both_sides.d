/*
 * ^^ always evaluates both sides; && and || do not. Its precedence is between theirs.
 * @options -q
 */
BEGIN
{
	n = 0;
	x = 0 ^^ n++;
	x = 1 ^^ n++;
	printf("%d\n", n);
	x = 0 && n++;
	x = 1 || n++;
	printf("%d\n", n);
	one = 1;
	zero = 0;
	printf("%d %d %d %d\n", one ^^ one, one ^^ zero, zero ^^ one, zero ^^ zero);
	printf("%d %d\n", 5 ^^ 3, one ^^ one || one);
	printf("%d %d\n", one || one ^^ one, one ^^ zero && zero);
	printf("%d\n", one ^^ one ^^ one);
	exit(0);
}
