/*
 * Only the kernel can sample every CPU; ticks do not need it.
 * @options --via=stream
 * @status 1
 */
profile-997hz
/arg1/
{
	@[execname, ufunc(arg1)] = count();
}
