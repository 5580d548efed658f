/* %Y and %T: nanoseconds since 1970 as a time; the tests run in UTC. */
#pragma D option quiet

BEGIN
{
	printf("%Y\n", 1075035600123456789);
	printf("%T\n", 1075035600123456789);
	printf("[%22Y] [%-22Y] [%.4Y]\n", 0LL, 1234567890000000000, 0LL);
	printf("%Y, %Y\n", -1LL, -1000000001LL); /* before 1970: rounded to seconds towards 1970 */
	@["start", 0LL] = sum(1075035600000000000);
	printa("%s %Y %@Y\n", @);
	exit(0);
}
