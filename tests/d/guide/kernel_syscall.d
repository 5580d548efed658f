/*
 * Only the kernel has the probes of system calls: the error says so, and no part of the script
 * runs.
 * @status 1
 * @options --via=stream
 */
BEGIN
{
	name[0] = "read";
	name[1] = "write";
}

syscall::write:entry
{
	printf("%s of %d bytes", name[1], arg2);
}
