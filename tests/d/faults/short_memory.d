/*
 * bcopy from a source shorter than n is BADSIZE, as is a destination without room for n; a
 * destination that starts at its block's end is BADADDR. An element of a NULL string has the
 * address NULL + index.
 */
#pragma D option quiet

string absent[int];
char none[8];
int zero;

BEGIN { this->p = (char *)alloca(16); bcopy(alloca(8), this->p, 16); }
BEGIN { this->p = (char *)alloca(16); bcopy(&none[4], this->p, 5); }
BEGIN { this->p = (char *)alloca(8); bcopy(&none[0], this->p + 8, 1); }
BEGIN { this->p = (char *)alloca(8); bcopy(&none[0], this->p + 8, zero); trace("nothing copied\n"); }
BEGIN { this->p = (char *)alloca(8); bcopy(&none[0], this->p + 4, 5); }
BEGIN { this->p = (char *)alloca(8); bcopy((void *)0x40, this->p, 8); }
BEGIN { trace(absent[1][0]); }
BEGIN { trace(absent[1][zero + 7]); }
BEGIN { exit(0); }

ERROR
{
	printf("%d ", arg4);
	/* an address in scratch depends on the clause */
	trace(arg5 > 0x1000 ? "in scratch" : lltostr(arg5));
	trace("\n");
}
