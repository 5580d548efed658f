/*
 * The operand of sizeof is not evaluated: what no source gives here has a size all the same.
 * @options -q
 */
BEGIN
{
	printf("%d %d\n", sizeof (errno), sizeof (curpsinfo->pr_nlwp));
	printf("%d %d\n", sizeof (curpsinfo->pr_start), sizeof (ucaller));
	exit(0);
}
