/*
 * A key that is an argument of type char * is the text there, also beside a key that
 * copyinstr() makes, and when a clause has several probes; a number's key stays a number.
 */
vm*:::method-entry
{
	@classes[args[0]] = count();
	@lines[args[0], args[3]] = count();
	@methods[args[1]] = count();
}

vm*:::native-entry
{
	@methods[copyinstr(arg1)] = count();
}

vm*:::method-entry,
vm*:::native-entry
{
	@both[args[1], args[4]] = sum(args[3]);
}
