/*
 * With -Z a script runs without the probes that no source here has.
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
