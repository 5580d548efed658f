/* Variables hold copies */
#pragma D option quiet

BEGIN
{
	s = "one";
	u = s;
	s = "two";
	printf("%s %s\n", s, u);
	exit(0);
}
