/* timestamp is read once for each clause: the difference within one is 0; a later clause reads it
 * again. walltimestamp is ns since 1970. pid, execname and uid in BEGIN are the tracer's. */
#pragma D option quiet

BEGIN
{
	this->t = timestamp;
	printf("%d\n", timestamp - this->t);
	printf("%d\n", walltimestamp / 1000000000 > 1500000000);
	printf("%d %d %d\n", pid == $pid, ppid == $ppid, uid == $uid);
	printf("%s %d %d\n", execname, gid == $gid, $target);
	printf("[%s] [%s] [%s] [%s] %d\n", probeprov, probemod, probefunc, probename, id);
	printf("%d %d %d\n", arg0, arg9, sizeof (arg0));
	exit(0);
}
