/* An element of each aggregation must fit into aggsize. No tag.
 * @status 1
 */
#pragma D option aggsize=8

BEGIN
{
	@ = count();
	exit(0);
}
