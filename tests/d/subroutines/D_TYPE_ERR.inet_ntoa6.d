/*
 * Without D's library there is no type for an IPv6 address.
 * @options -q -x errtags -x nolibs
 * @status 1
 */
BEGIN
{
	trace(inet_ntoa6(alloca(16)));
}
