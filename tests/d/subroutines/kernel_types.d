/*
 * Casts to the kernel's own types compile; the subroutines that take them are refused at the start.
 * @status 1
 */
BEGIN
{
	self->process = (proc_t *)arg0;
	trace(rw_write_held((krwlock_t *)arg1));
	trace(mutex_owned((kmutex_t *)arg2) && msgsize((mblk_t *)arg3) > 0);
}
