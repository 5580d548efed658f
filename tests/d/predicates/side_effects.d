/* A predicate may create a variable, and keeps its side effects. */
#pragma D option quiet

vm$target:::gc-idle
/n++ % 2 == 0/
{
	printf("%d\n", n);
}
