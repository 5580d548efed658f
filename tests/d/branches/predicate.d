/*
 * A clause's predicate applies to all of its parts, whatever an earlier firing left behind.
 */
#pragma D option quiet

vm$target:::gc-start
/arg1 != 1/
{
	printf("%d", arg1);
	if (arg2) {
		printf(" full");
	}
	printf("\n");
}
