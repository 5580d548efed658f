/* There can be many speculations at a time, each with its own records. */
#pragma D option quiet
#pragma D option nspec=300
int n;
int done;
int ids[int];

tick-1ms
/ n < 300 /
{
	ids[n] = speculation();
	speculate(ids[n]);
	printf("number %d\n", n);
}

tick-1ms
/ n < 300 /
{
	n++;
}

tick-1ms
/ n == 300 && !done /
{
	done = 1;
	commit(ids[299]);
	commit(ids[0]);
}

tick-1ms
/ done /
{
	printf("id %d, then %d\n", ids[299], speculation());
	exit(0);
}
