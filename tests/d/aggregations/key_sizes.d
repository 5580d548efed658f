/* 1- and 2-byte keys print unsigned, keys sort unsigned, strings by bytes. */
#pragma D option quiet

BEGIN
{
	@one[(char)-1] = count();
	@one[(char)1] = count();
	@one[(char)300] = count();
	@two[(short)-2] = count();
	@two[(short)2] = count();
	@all[(char)-1, (short)-2, -3, -4L] = count();
	@all[(char)1, (short)2, 3, 4L] = count();
	@four[4294967295U] = count();
	@four[1U] = count();
	@text["b"] = count();
	@text["a"] = count();
	@text["abc"] = count();
	@text[""] = count();
	@text["a key that is longer than the fifty columns of a key"] = count();
	exit(0);
}
