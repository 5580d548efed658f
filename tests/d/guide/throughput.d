/*
 * A rate in KB/s that keeps the digits after the point: 1000000000 / 1024 is 976562.
 * (copy.d in the guide.)
 */
#pragma D option quiet

vm$target:::gc-start
{
	start[args[0], args[1]] = timestamp;
}

vm$target:::gc-end
/start[args[0], args[1]]/
{
	/*
	 * bytes       1000000000      bytes       976562
	 * --------- * ------------- = --------- * -------------
	 * 1024        nanoseconds     1           nanoseconds
	 */
	this->elapsed = timestamp - start[args[0], args[1]];
	@[args[1], args[2] ? "full" : "young"] =
	    quantize((args[3] * 976562) / this->elapsed);
	start[args[0], args[1]] = 0;
}

END
{
	printa(" generation %d (%s)\n%@d\n", @);
}
