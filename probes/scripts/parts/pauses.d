#pragma D option anydefs

/*
 * Times for which guest code stands still, of any provider that knows them. Where a pause ends,
 * this->pause is its length in ns, or 0 if it does not count; this->reason says why, and
 * this->generation which is the oldest generation collected, -1 for none or unknown. this->oldest is
 * its text, "-" then, and this->what that of reason and generation. A process may have the probes of
 * several providers: vm counts then, else those that fire first.
 */
string origin[pid_t];
uint64_t pause_began[pid_t];
int generation[pid_t];
string opener[pid_t];

vm$target:::pause-begin
{
	origin[pid] = probeprov;
}

ruby$target:::gc-mark-begin,
ruby$target:::gc-sweep-begin,
python$target:::gc-start,
hotspot$target:::gc-begin,
HaskellEvent$target:::gc-start
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

vm$target:::pause-begin,
ruby$target:::gc-mark-begin,
ruby$target:::gc-sweep-begin,
python$target:::gc-start,
hotspot$target:::gc-begin,
HaskellEvent$target:::gc-start
/origin[pid] == probeprov && (!pause_began[pid] || opener[pid] == probename ||
    probename == "pause-begin")/
{
	pause_began[pid] = timestamp;
	opener[pid] = probename;
	generation[pid] = -1;
}

vm$target:::gc-start
/pause_began[pid]/
{
	generation[pid] = (int)arg1;
}

/* Python collects this generation and the younger ones. */
python$target:::gc-start
{
	generation[pid] = (int)arg0;
}

/* HotSpot says whether it collects all. */
hotspot$target:::gc-begin
{
	generation[pid] = arg0 & 0xff ? 1 : 0;
}

vm$target:::pause-end
{
	this->reason = copyinstr(arg1);
	this->opener = "pause-begin";
}

/* Ruby may sweep within the time in which it marks, which is one pause then. */
ruby$target:::gc-mark-end
{
	this->reason = "mark";
	this->opener = "gc-mark-begin";
}

ruby$target:::gc-sweep-end
{
	this->reason = "sweep";
	this->opener = "gc-sweep-begin";
}

python$target:::gc-done,
HaskellEvent$target:::gc-end
{
	this->reason = "gc";
	this->opener = "gc-start";
}

hotspot$target:::gc-end
{
	this->reason = "gc";
	this->opener = "gc-begin";
}

vm$target:::pause-end,
ruby$target:::gc-mark-end,
ruby$target:::gc-sweep-end,
python$target:::gc-done,
hotspot$target:::gc-end,
HaskellEvent$target:::gc-end
{
	this->counts = origin[pid] == probeprov && pause_began[pid] && opener[pid] == this->opener;
	this->pause = this->counts ? timestamp - pause_began[pid] : 0;
	this->generation = generation[pid];
	this->oldest = this->generation < 0 ? "-" : lltostr(this->generation);
	this->what = this->generation < 0 ? this->reason :
	    strjoin(this->reason, strjoin(", generation ", this->oldest));
	pause_began[pid] = this->counts ? 0 : pause_began[pid];
}
