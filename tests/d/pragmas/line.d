/*
 * # line sets the file and the line that messages name.
 * @status 1
 * @options -x errtags
 */
# 40 "included.h" 1
int x;
# 12 "main.d" 2 3
#line 20 "main.d"

BEGIN
{
	trace(nosuch);
}
