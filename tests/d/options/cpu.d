/* Events of one CPU. */
#pragma D option cpu=1

vm$target:::gc-start
{
	trace(arg1);
}
