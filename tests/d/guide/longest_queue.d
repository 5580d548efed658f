/*
 * What was in the queue when it was longest: a separate speculation for each CPU, an
 * assignment within a subscript and within a predicate. (whoqueue.d in the guide.)
 */
#pragma D option quiet
#pragma D option nspec=4
#pragma D option specsize=100k

int longest;
int spec[int];

vm$target:::thread-runnable
{
	this->len = ++qlen[this->cpu = arg0];
	in[arg1] = timestamp;
}

vm$target:::thread-runnable
/this->len > longest && spec[this->cpu]/
{
	/*
	 * What was recorded for a shorter queue is no longer of interest.
	 */
	discard(spec[this->cpu]);
}

vm$target:::thread-runnable
/this->len > longest/
{
	/*
	 * From now on, until everything in the queue has left it.
	 */
	longest = this->len;
	longtime[this->cpu] = timestamp;

	this->spec = spec[this->cpu] = speculation();
	speculate(this->spec);
	printf("Queue of length %d:\n", this->len);
}

vm$target:::thread-run
/(this->in = in[arg1]) &&
    this->in <= longtime[this->cpu = arg0]/
{
	speculate(spec[this->cpu]);
	printf(" %d/%d (%s)\n",
	    pid, arg1,
	    stringof(execname));
}

vm$target:::thread-run
/qlen[arg0]/
{
	in[arg1] = 0;
	this->len = --qlen[arg0];
}

vm$target:::thread-run
/this->len == 0 && spec[this->cpu]/
{
	/*
	 * The last one has left.
	 */
	commit(spec[this->cpu]);
	spec[this->cpu] = 0;
}
