/* Keys that are memory: printed as text if they look like text, else as bytes. */
struct pair { char name[8]; int number; };
struct pair pair;

BEGIN
{
	pair.name[0] = 'o';
	pair.name[1] = 'k';
	@name[pair.name] = count();
	@pair[pair] = count();
	pair.number = 7;
	@pair[pair] = count();
	exit(0);
}
