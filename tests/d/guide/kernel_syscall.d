/*
 * The probes of system calls are the kernel's: what the script needs is said, and no
 * part of it runs.
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
