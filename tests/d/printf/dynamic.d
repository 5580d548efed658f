/* * takes width, then precision, then the value; a negative width means the flag - and the width;
 * a precision of 0 or less means none, even for strings. */
#pragma D option quiet

BEGIN
{
	printf("[%*d] [%*d] [%-*d]\n", 5, 42, -5, 42, 5, 42);
	printf("[%.*d] [%*.*d] [%*.*s]\n", 4, 42, 8, 4, 42, 8, 2, "abc");
	printf("[%*s] [%.*s] [%.*s]\n", -6, "abc", 0, "abc", -1, "abc");
	this->depth = 3;
	printf("%*s%s\n%*s%s\n", this->depth * 2, "", "-> call", 0, "", "<- call");
	exit(0);
}
