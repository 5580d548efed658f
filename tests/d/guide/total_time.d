/*
 * BEGIN and END measure how long the trace took.
 */
BEGIN
{
	began = timestamp;
}

/*
 * ... whatever else is traced ...
 */
END
{
	printf("all in all: %d secs", (timestamp - began) / 1000000000);
}
