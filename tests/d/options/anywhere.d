/* A pragma's option acts on the whole run wherever it stands; the last value holds. */
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
