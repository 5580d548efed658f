/* An option may come after the clauses, or inside one: it acts on the whole run. */
BEGIN
{
	printf("%s\n", strjoin("abc", "defgh"));
#pragma D option strsize=5
	exit(0);
}
#pragma D option quiet
