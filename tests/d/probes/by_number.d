/* @options -q -i '1 { printf("begin\n"); exit(0); }' */
/* -i: a probe's number. */
END
{
	printf("end\n");
}
