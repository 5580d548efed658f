/*
 * Only the kernel can sample every CPU; ticks do not need it.
 * @status 1
 */
profile-997hz
/arg1/
{
	@[execname, ufunc(arg1)] = count();
}
