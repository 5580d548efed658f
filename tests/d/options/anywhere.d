/* A pragma's option acts on the whole run, wherever it is; the last value wins. */
BEGIN
{
	trace("all of this is quiet");
#pragma D option quiet=no
}

BEGIN
{
	exit(0);
}
#pragma D option quiet
