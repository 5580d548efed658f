/* copyout() is destructive. No tag.
 * @status 1
 */
BEGIN
{
	copyout(alloca(4), 16, 4);
}
