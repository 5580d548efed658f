/* Option rawbytes: keys that are memory are bytes even if they read as text. */
#pragma D option quiet
#pragma D option rawbytes

struct name { char text[4]; } name;

BEGIN
{
	name.text[0] = 'o';
	@[name.text] = count();
	exit(0);
}
