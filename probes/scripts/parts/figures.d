/*
 * What a VM as a whole does: its time in collections and pauses, its threads that exist and have been
 * seen, and the bytes that it has allocated. The script that includes this says which other probe
 * shows that a thread exists.
 */
uint64_t collects[pid_t], pauses[pid_t], allocated[pid_t];
int exists[pid_t, uint32_t];

vm*:::gc-start
{
	collects[pid] = timestamp;
}

vm*:::gc-end
/collects[pid]/
{
	@collecting[pid, execname] = sum(timestamp - collects[pid]);
	collects[pid] = 0;
}

vm*:::pause-begin
{
	@pauses[pid, execname] = count();
	pauses[pid] = timestamp;
}

vm*:::pause-end
/pauses[pid]/
{
	@paused[pid, execname] = sum(timestamp - pauses[pid]);
	pauses[pid] = 0;
}

vm*:::thread-create
/!exists[pid, arg1]/
{
	exists[pid, arg1] = 1;
	@threads[pid, execname] = sum(1);
}

vm*:::thread-exit
/exists[pid, arg1]/
{
	exists[pid, arg1] = 0;
	@threads[pid, execname] = sum(-1);
}

vm*:::heap
/arg1 >= allocated[pid]/
{
	@allocated[pid, execname] = sum(arg1 - allocated[pid]);
	allocated[pid] = arg1;
}
