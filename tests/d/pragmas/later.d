/*
 * Pragmas may stand before what they speak of, also within a clause; options count for
 * the whole run.
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
