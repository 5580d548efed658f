/*
 * With -Z descriptions may match nothing, but what a clause needs of the thread is
 * still asked for.
 * @status 1
 * @options -Z
 */
sched:::sleep
/curlwpsinfo->pr_pri > 100/
{
	bedtime[curlwpsinfo->pr_addr] = timestamp;
}
