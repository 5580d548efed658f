/*
 * With -Z a script runs even if no source has some of its probes.
 * @options -Z
 */
proc:::start,
proc:::exit
{
	@[execname] = count();
}

vm$target:::gc-work
{
	@["gc-work"] = count();
}
