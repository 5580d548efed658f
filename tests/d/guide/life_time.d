/*
 * How long calls take, by class: entry and return of the same thread.
 * (proc:::start and proc:::exit in the guide.)
 */
vm$target:::method-entry
{
	self->came = timestamp;
}

vm$target:::method-return
/self->came/
{
	@[copyinstr(arg0)] = quantize(timestamp - self->came);
	self->came = 0;
}
