/* Integer keys sort as unsigned, among equal values. */
#pragma D option quiet

BEGIN
{
	@[-1] = count();
	@[2] = count();
	@[0] = count();
	@[-2] = count();
	@[1] = count();
	exit(0);
}
