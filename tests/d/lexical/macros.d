/*
 * Macros of vmtap's own process, as integers and as strings; without a target $target is 0.
 * Its parent, group and session may be outside its PID namespace; the kernel then returns 0.
 * @options -q
 */
BEGIN
{
	printf("%d %d %d %d\n", $pid == pid, $ppid >= 0, $pgid >= 0, $sid >= 0);
	printf("%d %d %d %d\n", $uid == uid, $euid == $uid, $gid == gid, $egid == $gid);
	printf("%d %s\n", $target, $$target);
	printf("%d %s\n", $projid, $$taskid);
	printf("%d %s\n", lltostr($pid) == $$pid, basename($$0));
	printf("%s\n", basename($0));
	exit(0);
}
