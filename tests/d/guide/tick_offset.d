/*
 * Two descriptions in one clause, by name. (tick.d in the guide.)
 */
vm$target:::gc-work, vm$target:::gc-idle
{
	@[probename] = lquantize((timestamp / 1000000) % 10, 0, 10);
}
