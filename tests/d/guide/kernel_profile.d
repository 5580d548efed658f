/*
 * Samples of every CPU are the kernel's, ticks are not.
 * @status 1
 */
profile-997hz
/arg1/
{
	@[execname, ufunc(arg1)] = count();
}
