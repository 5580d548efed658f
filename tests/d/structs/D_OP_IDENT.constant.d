/* A name must follow the '.', not a constant. */
/* @status 1 */
/* @options -xerrtags */
inline int K = 3;
struct k { int K; };
struct k k;
BEGIN
{
	x = k.K;
}
