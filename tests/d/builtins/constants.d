/*
 * Constants of the built-in library.
 * @options -q
 */
BEGIN
{
	printf("%d %d %d\n", SIGHUP, SIGKILL, SIGSYS);
	printf("%d %d %d\n", ENOENT, EAGAIN, ETIMEDOUT);
	printf("%o %o %o\n", O_RDWR, O_CREAT, O_CLOEXEC);
	printf("%d %d\n", CLD_EXITED, SSTOP);
	printf("%d %d\n", AF_INET, IPPROTO_TCP);
	printf("%d %d\n", DTRACEFLT_BADADDR, DTRACEFLT_LIBRARY);
	printf("%d\n", NULL);
	exit(0);
}
