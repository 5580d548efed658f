/*
 * gc_pause.d: how long the world stops, by reason and generation collected
 *
 *     vmtap trace gc_pause -p PID
 *
 * A distribution of the pauses in ns for each reason; for a collection the oldest
 * generation collected is given, for other pauses -1. Then how many there were, the
 * longest, and all together.
 */
#pragma D option quiet

vm$target:::pause-begin
{
	began = timestamp;
	generation = -1;
}

vm$target:::gc-start
/began/
{
	generation = (int)arg1;
}

vm$target:::pause-end
/began/
{
	this->pause = timestamp - began;
	@pauses[copyinstr(arg1), generation] = quantize(this->pause);
	@count[copyinstr(arg1), generation] = count();
	@longest[copyinstr(arg1), generation] = max(this->pause);
	@total[copyinstr(arg1), generation] = sum(this->pause);
	began = 0;
}

END
{
	printa("%s, generation %d: ns%@d\n", @pauses);
	printf("%-16s %10s %10s %14s %14s\n", "REASON", "GENERATION", "PAUSES", "LONGEST ns",
	    "TOTAL ns");
	printa("%-16s %10d %@10d %@14d %@14d\n", @count, @longest, @total);
}
