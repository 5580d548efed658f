/* @options -q -P 'vm* { printf("%s\n", probename); }' -m 'toy /arg0 == 0/ { printf("module\n"); }' -f ':gc { }' -Z */
/* -P, -m and -f: the description ends with the provider, the module, the function. */
END
{
	printf("done\n");
}
