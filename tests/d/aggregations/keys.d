/* Sorted by value, then by keys; strings and integers in columns. */
vm$target:::method-entry
{
	@[copyinstr(arg0), copyinstr(arg1)] = count();
	@lines[(int)arg3] = count();
}
