/*
 * Option rawbytes: the dump of a string has strsize + 1 bytes, with zeroes after its end.
 * @options -q -x rawbytes -x strsize=20
 */
BEGIN
{
	trace("12345678901234567890");
	trace("ab");
	trace("");
	exit(0);
}
