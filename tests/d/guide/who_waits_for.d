/*
 * Who waits for which lock, and how long: %@d of a distribution within a text.
 * (whofor.d in the guide.)
 */
#pragma D option quiet

vm$target:::lock-wait
{
	bedtime[arg1] = timestamp;
}

vm$target:::lock-acquired
/bedtime[arg1]/
{
	@[stringof(copyinstr(arg3)), execname] =
	    quantize(timestamp - bedtime[arg1]);
	bedtime[arg1] = 0;
}

END
{
	printa("%s waited for in %s:\n%@d\n", @);
}
