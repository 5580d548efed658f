/*
 * A log without CPU clocks.
 * @status 1
 */
vm*:::gc-start
{
	@[vtimestamp] = count();
}
