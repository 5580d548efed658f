/*
 * What every source knows about a process and a thread, as members of psinfo_t and
 * lwpsinfo_t; BEGIN is an event of vmtap itself.
 * @options -q
 */
BEGIN
{
	printf("%d %d\n", curpsinfo->pr_pid == pid, curpsinfo->pr_ppid == ppid);
	printf("%d %d\n", curpsinfo->pr_uid == $uid, curpsinfo->pr_gid == $gid);
	printf("%d\n", curlwpsinfo->pr_lwpid == tid);
	printf("%d\n", curcpu->cpu_id == cpu);
	printf("%d %d %d\n", curcpu->cpu_chip == chip, curcpu->cpu_lgrp == lgrp, pset);
	printf("%s\n", zonename);
	exit(0);
}
