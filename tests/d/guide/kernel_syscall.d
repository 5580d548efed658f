/*
 * Only the kernel has the probes of system calls: the error says what the script needs, and
 * no part of the script runs.
 * @status 1
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
