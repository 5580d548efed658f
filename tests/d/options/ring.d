/* Only the newest records that fit are kept. */
#pragma D option bufpolicy=ring
#pragma D option bufsize=544

tick-1000
{
	printf("%d %s", ++n, "a text that takes room in the buffer");
}

tick-1000
/n == 100/
{
	exit(0);
}

END
{
	printf("end");
}
