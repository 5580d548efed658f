/*
 * A clause that dereferences NULL fires ERROR; the message is still printed.
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
