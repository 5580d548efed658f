/* %p prints hexadecimal without 0x; %a and %A print a symbol, or hexadecimal with 0x. */
#pragma D option quiet

vm*:::method-entry
{
	printf("%p %p %a %A\n", 0x1234, (char *)0xffff, 0x10, 0x20);
	printf("[%8a] [%-8A] [%.3a]\n", 0x10, 0x20, 0x12345);
	exit(0);
}
