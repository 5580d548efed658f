/*
 * Names that are bound to a later version of D than the requested one do not exist.
 * @options -q -x version=1.2
 */
#pragma D binding "1.0" old
#pragma D binding "1.5" recent
inline int old = 3;
inline int recent = 4;
inline int still = 5;

BEGIN
{
	printf("%d %d\n", old, still);
	exit(0);
}
