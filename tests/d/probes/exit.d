/* After exit() no other probe fires but END; the clause itself goes on. */
#pragma D option quiet

vm$target:::gc-start
{
	exit(3);
	printf("still here\n");
}

vm$target:::gc-start
{
	printf("not printed\n");
}

vm$target:::gc-end
{
	printf("not printed\n");
}

END
{
	printf("end\n");
}
/* @status 3
 */
