/* Each function over the same values, keyless. */
vm$target:::method-entry
{
	@count = count();
	@sum = sum((int)arg3);
	@min = min((int)arg3);
	@max = max((int)arg3);
	@avg = avg((int)arg3);
}
