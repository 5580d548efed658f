/* system() runs when its record is reached, after what was printed before it; its status is nobody's.
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
