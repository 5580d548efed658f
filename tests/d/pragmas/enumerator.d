/*
 * An enumerator is a definition of the program like any other.
 * @options -q
 */
enum color {
	RED,
	GREEN
};
#pragma D attributes Evolving/Evolving/Common GREEN

BEGIN
{
	printf("%d\n", GREEN);
	exit(0);
}
