/*
 * Pragmas may precede what they refer to, even within a clause; options apply to the whole
 * run.
 */
#pragma D attributes Evolving/Evolving/Common counter_of
#pragma D attributes Private/Private/ISA made

int counter_of;

BEGIN
{
#pragma D option quiet
	made = 1;
	counter_of++;
	printf("%d\n", made + counter_of);
	exit(0);
}
