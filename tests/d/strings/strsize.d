/*
 * A string is cut at strsize when it is stored or made.
 * @options -x strsize=5
 */
#pragma D option quiet

BEGIN
{
	s = "abcdefgh";
	printf("%s\n", s);
	printf("%s\n", strjoin("abc", "defgh"));
	exit(0);
}
