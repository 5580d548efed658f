/*
 * @status 1
 * @options -x errtags 
 */
provider a {
	probe x();
	probe x();	/* checked before the clause that follows */
};

BEGIN
{
	trace(nosuch);
}
