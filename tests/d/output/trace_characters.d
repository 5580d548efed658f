/* trace() of an array of characters is text if it reads as such, to the first zero if only zeroes
 * follow; else bytes, as structs always are.
 */
char full[3], ended[6], binary[4], none[2];
struct { char only; } one;

BEGIN
{
	full[0] = 'a'; full[1] = '\t'; full[2] = 'c';
	ended[0] = 'h'; ended[1] = 'i';
	binary[0] = 'x'; binary[2] = 'y';
	one.only = 'z';
	trace(full);
	trace(ended);
	trace(binary);
	trace(none);
	trace(one);
}

BEGIN
{
	setopt("quiet");
}

BEGIN
{
	trace(full);
	trace(ended);
	setopt("rawbytes");
	trace(ended);
	exit(0);
}
