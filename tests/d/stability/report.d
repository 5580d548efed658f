/*
 * The lowest stability of everything the program relies on.
 * @options -q -v
 */
#pragma D attributes Evolving/Stable/ISA mine
inline int mine = getmajor(1);
int unused;

BEGIN
{
	trace(sizeof (mine));
	trace(htons(1));
	exit(0);
}
