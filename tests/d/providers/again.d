/*
 * A definition may be repeated unchanged, even for only some of the probes, and in another program
 * of the command line.
 * @options -q -n 'provider a { probe x(int); }; END { printf("done\n"); }'
 */
provider a {
	probe x(int number);
	probe y(int number, char *text) : (char *text);
};

provider a {
	probe y(int n, char *t) : (char *t);
};

BEGIN
{
	exit(0);
}
