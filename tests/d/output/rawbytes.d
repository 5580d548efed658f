/* Option rawbytes: trace() dumps values as bytes, whatever their type. */
#pragma D option quiet
#pragma D option rawbytes

BEGIN
{
	trace(258);
	trace((char)-1);
	trace(-2L);
	exit(0);
}
