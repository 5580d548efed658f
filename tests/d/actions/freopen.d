/* Output goes to the file, including that of commands; "" switches back.
 * @options -w "$scratch/file"
 */
#pragma D option quiet

BEGIN
{
	printf("to stdout\n");
	freopen("%s", $$1);
	printf("to the file\n");
	system("echo from a command");
	freopen("");
	printf("back\n");
	freopen("");
	system("cat %s; rm %s", $$1, $$1);
	freopen("/dev/null/file");
	printf("still here\n");
	freopen("%s", $$1);
	printf("a longer text that goes\n");
	ftruncate();
	printf("new\n");
	freopen("");
	system("cat %s; rm %s", $$1, $$1);
	exit(0);
}
