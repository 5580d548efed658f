/*
 * format=json: each kind of record. Names are the program's: they are escaped, and bytes that are
 * not UTF-8 are replaced.
 * @options -x format=json -x aggpercpu
 */
BEGIN
{
	printf("a\t%d %s %*d|%5.2s\n", -3, "q\"", 7, 3, "xyz");
	trace(1);
	trace((char)-1);
	trace((unsigned char)255);
	trace(0xffffffffffffffff);
	this->bytes = (char *)alloca(4);
	this->bytes[1] = -1;
	tracemem(this->bytes, 3);
}

method-entry
{
	@[copyinstr(arg0), (int)arg3] = count();
	printf("%s.%s", copyinstr(arg0), copyinstr(arg1));
}

/* only that it has fired */
method-return
{
}

object-create
{
	@pair["b"] = sum(arg1);
	@highest["b"] = max(arg1);
	@quantized["b"] = quantize(arg1);
	@quantized["b"] = quantize(-3);
	@quantized["zero"] = quantize(0);
	@linear = lquantize(arg1, 0, 20, 5);
	@linear = lquantize(-1, 0, 20, 5);
	@linear = lquantize(1000, 0, 20, 5);
	@log_linear = llquantize(arg1, 10, 0, 2, 10);
	@log_linear = llquantize(100000, 10, 0, 2, 10);
	@mean = avg(arg1);
	@deviation = stddev(arg1);
	@least = min(arg1);
	trace(*(int *)arg5);
}

method-cache-clear
{
	printa(@);
	printa("%s: %@d\n", @);
	printa(@pair, @highest);
	normalize(@pair, 2);
	printa("%s %@d %@d|", @pair, @highest);
}

END
{
	printf("%s", "");
}
