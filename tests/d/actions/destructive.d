/* system() runs when its record is reached, after earlier output; its exit status is ignored.
 * @options -w
 */
#pragma D option quiet

BEGIN
{
	printf("before\n");
	system("echo command %s %d; exit 3", "argument", 7);
	printf("between\n");
	system("echo $((6 * 7))");
	printf("after\n");
	exit(0);
}
