/* json of NULL faults, as every string argument does. */
#pragma D option quiet

self string never;

BEGIN
{
	printf("%s\n", json(self->never, "x"));
}

BEGIN
{
	printf("next\n");
	exit(0);
}
