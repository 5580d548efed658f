/* Operators of one precedence side by side are no nesting: such a chain may have any length. */
#pragma D option quiet
int n, y, z;
inline int total = y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y +
	    z - y + z - y + z - y + z - y + z - y + z - y;
BEGIN
{
	y = 1; z = 2;
	s = y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y + y +
	    y + y + y + y + y;
	d = 5000 - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z - y
	    + z - y + z - y + z - y + z - y + z - y + z - y + z - y + z;
	m = y * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 *
	    z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z /
	    y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y %
	    7 * z / y % 7 * z / y % 7 * z / y % 7 * z / y % 7;
	b = (y & 6) | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y
	    | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | y ^ y | 8;
	l = y > 0 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z >
	    1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z
	    > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 &&
	    z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1
	    && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && z > 1 && n == 0;
	o = n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n
	    || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n ||
	    n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || n || z;
	c = (n, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++, n++,
	    n++, n++, n++, n++, n++, n++, n++, n++, n++, n++);
	p = "chained" + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y - y + y -
	    y + y - y + 5;
	e = probename == "BEGIN" == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1
	    == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 == 1 ==
	    1 == 1;
	printf("%d %d %d %d %d %d %d %s %d\n", s, d, m, b, l, o, c, p, e);
	printf("%d %d %d\n", total, sizeof(y + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L
	    + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L +
	    1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L + 1L), n);
	exit(0);
}
