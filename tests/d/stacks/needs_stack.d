/* No recorded event carries a stack: the script is refused before it starts.
 * @status 1 */
BEGIN
{
	stack(5);
	exit(0);
}
