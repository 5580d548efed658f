/* @options 1234 */
/*
 * Every probe of Ruby, with Ruby's arguments in Ruby's order and types, on a VM that has
 * opted in. The types are those of the probe, not of the event. Ruby fires no return for what
 * an exception has ended.
 */
#pragma D option quiet

ruby$1:::method-entry, ruby$1:::method-return, ruby$1:::cmethod-*
{
	printf("%s %s %s %s %d\n", probename, copyinstr(arg0), copyinstr(arg1),
	    copyinstr(arg2), args[3]);
}

ruby*:::require-*, ruby*:::find-require-*, ruby*:::load-*, ruby*:::raise,
ruby*:::object-create, ruby*:::symbol-create, ruby*:::method-cache-clear
{
	printf("%s %s %s %d\n", probename, copyinstr(arg0), copyinstr(arg1), args[2]);
}

ruby*:::array-create, ruby*:::hash-create, ruby*:::string-create
{
	printf("%s %d %s %d\n", probename, args[0], copyinstr(arg1), args[2]);
	@[sizeof (args[0])] = sum(args[0]);
}

ruby*:::parse-*
{
	printf("%s %s %d\n", probename, copyinstr(arg0), args[1]);
}

ruby*:::gc-*
{
	printf("%s\n", probename);
}
