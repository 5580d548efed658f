/*
 * @status 1
 * @options -x errtags 
 */
#pragma D option amin=Evolving/Evolving/Common

BEGIN
{
	trace((uintptr_t)curthread);
}
