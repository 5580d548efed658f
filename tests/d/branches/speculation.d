/*
 * Records to a speculation or not, by branch: an order that one clause could not have.
 */
#pragma D option quiet

int spec;

vm$target:::gc-start
{
	if (arg2) {
		spec = speculation();
		speculate(spec);
		printf("full collection of generation %d\n", arg1);
	} else {
		printf("generation %d\n", arg1);
	}
}

vm$target:::gc-end
{
	if (arg3 > 50 && spec) {
		commit(spec);
		spec = 0;
	} else if (spec) {
		discard(spec);
		spec = 0;
	}
}
