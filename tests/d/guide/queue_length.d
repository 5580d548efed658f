/*
 * The length of a queue: an element of an array that counts up and down, and the value
 * it had before. (qlen.d in the guide.)
 */
vm$target:::thread-runnable
{
	this->len = qlen[arg0]++;
	@[arg0] = lquantize(this->len, 0, 100);
}

vm$target:::thread-run
/qlen[arg0]/
{
	qlen[arg0]--;
}
