/* trace() with option quiet: the bare values. */
#pragma D option quiet

BEGIN
{
	trace((char)-1);
	printf(",");
	trace((unsigned char)200);
	printf(",");
	trace((short)-2);
	printf(",");
	trace((unsigned short)65535);
	printf(",");
	trace(-3);
	printf(",");
	trace(4000000000U);
	printf(",");
	trace(-5L);
	printf(",");
	trace(5UL);
	printf(",");
	trace("text");
	exit(0);
}
