/*
 * With -Z descriptions may match nothing, but the data that a clause needs is
 * still required.
 * @status 1
 * @options -Z --via=stream
 */
sched:::sleep
/curpsinfo->pr_start.tv_sec > 100/
{
	bedtime[curcpu->cpu_info] = timestamp;
}
