/*
 * -e also reports each description.
 * @options -e -v
 */
vm*:::gc-start,
vm*:toy::gc-start
{
	trace(args[0]);
}

BEGIN
{
}

:::END
{
	trace((uintptr_t)curthread);
}

tick-1s
{
}
