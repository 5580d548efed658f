/* Option rawbytes: keys that are memory are printed as bytes even if they look like text. */
#pragma D option quiet
#pragma D option rawbytes

struct name { char text[4]; } name;

BEGIN
{
	name.text[0] = 'o';
	@[name.text] = count();
	exit(0);
}
