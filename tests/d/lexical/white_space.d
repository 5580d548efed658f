/*
 * Blanks, tabs, line feeds, form feeds and vertical tabs part tokens; nothing else needs to.
 * A backslash before the end of a line joins it with the next in a body.
 * @options -q
 */
BEGIN{x=1;y=x+++2;printf("%d %d\n",x,y);}BEGIN/x==2/{printf("next\n");}
BEGIN
{
	printf \
	    ("%d\n", \
	    x);
	printf("%d\n", x);
	;;
	exit
	(
	0
	)
}
