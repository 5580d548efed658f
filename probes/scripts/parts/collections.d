/*
 * The number of collections, of any provider, in @collections. Belongs after pauses.d, since a
 * process may have the probes of several providers.
 */

/* In vm, a pause may be for something else, and a collection may go on without one. */
vm$target:::gc-end
{
	@collections = sum(1);
}

/* Ruby sweeps in steps. */
ruby$target:::gc-mark-end,
python$target:::gc-done,
hotspot$target:::gc-end,
HaskellEvent$target:::gc-end
/this->counts/
{
	@collections = sum(1);
}
