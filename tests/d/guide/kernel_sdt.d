/*
 * @options --via=stream
 * @status 1
 */
sdt:mydriver::transaction-start
{
	@[probename] = count();
}
