/* A declaration has at most one storage class. */
/* @status 1 */
/* @options -xerrtags */
self this int a;
BEGIN
{
}
