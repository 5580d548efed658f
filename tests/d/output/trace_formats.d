/* trace() by the type of its argument; see also trace_formats_quiet. */
BEGIN
{
	trace((char)-1);
	trace((unsigned char)200);
	trace((short)-2);
	trace((unsigned short)65535);
	trace(-3);
	trace(4000000000U);
	trace(-5L);
	trace(5UL);
	trace("text");
	exit(0);
}
