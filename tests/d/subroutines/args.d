/* args[] have the contract's types, which decide whether they print signed or unsigned. */
#pragma D option quiet

vm$target:::method-entry
{
	printf("%s %d %d %d\n", copyinstr((uintptr_t)args[0]), args[3], args[4], arg4);
}

vm$target:::gc-start
{
	printf("%d %d %d %d\n", args[0], args[1], args[2], args[3]);
}
