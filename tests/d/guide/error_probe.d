/*
 * A clause that follows NULL fires ERROR; the message comes all the same.
 */
BEGIN
{
	*(char *)NULL;
}

ERROR
{
	printf("That went wrong!");
	exit(0);
}
