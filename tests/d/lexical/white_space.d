/*
 * Blanks, tabs, line feeds, form feeds and vertical tabs separate tokens; often none is needed.
 * In a body, a backslash at the end of a line joins it with the next line.
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
