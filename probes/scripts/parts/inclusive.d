/*
 * The inclusive time of methods, each moment of which counts once, however often the method is on the
 * stack: where a call ends, this->inclusive is what this adds, the time since the outermost call of the
 * method began, or since one within it ended last. It needs the parts calls.d and returns.d before it,
 * and clauses that set this->level and this->clock.
 */
int64_t outermost[pid_t, uint64_t, string, string];
uint64_t counted[pid_t, uint64_t, string, string];

*$target:::[mf]*[dn]-entry
/this->counts/
{
	this->outermost = outermost[pid, this->thread, this->class, this->method];
	outermost[pid, this->thread, this->class, this->method] =
	    this->outermost ? this->outermost : this->level;
	counted[pid, this->thread, this->class, this->method] = this->outermost ?
	    counted[pid, this->thread, this->class, this->method] : this->clock;
}

*$target:::[mf]*[dn]-return
/this->counts && this->level > 0/
{
	this->outermost = outermost[pid, this->thread, this->class, this->method];
	this->counted = counted[pid, this->thread, this->class, this->method];
	this->inclusive = this->clock - (this->counted ? this->counted : this->start);
	outermost[pid, this->thread, this->class, this->method] =
	    this->outermost == this->level ? 0 : this->outermost;
	counted[pid, this->thread, this->class, this->method] =
	    this->outermost == this->level ? 0 : this->clock;
}
