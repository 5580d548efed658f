/* Records stay in the buffer until the end; when it is full, tracing ends. END prints as usual. */
#pragma D option bufpolicy=fill
#pragma D option bufsize=512

tick-1000
{
	printf("%s", "a text that takes room in the buffer");
	n++;
}

tick-1000
/n == 1/
{
	freopened = 1;
}

END
{
	printf("full after %d", n);
}
