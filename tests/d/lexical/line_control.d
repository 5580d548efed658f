/*
 * A line directive sets what messages say.
 * @status 1
 */
# 70 "other.d"
BEGIN
{
	nosuch = x + 1;
}
