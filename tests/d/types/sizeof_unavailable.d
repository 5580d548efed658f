/*
 * The operand of sizeof is not evaluated: even values that no source provides have a size.
 * @options -q
 */
BEGIN
{
	printf("%d %d\n", sizeof (errno), sizeof (curpsinfo->pr_nlwp));
	printf("%d %d\n", sizeof (curpsinfo->pr_start), sizeof (ucaller));
	exit(0);
}
