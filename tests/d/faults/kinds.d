/* The kinds of faults that a program can have: the message, and the fault and its value in ERROR:
 * an address, a size, an index, or 0. */
#pragma D option quiet

int zero;
int fifth;
int numbers[3];
int *none;
char *wild;
string absent[int];

BEGIN { fifth = 5; wild = (char *)0x1234; }
BEGIN { trace(*none); }
BEGIN { trace(*wild); }
BEGIN { trace(strlen(absent[1])); }
BEGIN { trace(copyinstr(0x5678)); }
BEGIN { this->c = *(char *)copyin(0x9abc, 1); }
BEGIN { trace(7 / zero); }
BEGIN { trace(7 % zero); }
BEGIN { trace(7U / zero); }
BEGIN { commit(100); }
BEGIN { trace(lltostr(1, 99)); }
BEGIN { this->p = alloca(1000 + zero); }
BEGIN { this->p = alloca(8); bcopy(alloca(4), this->p, 16 + zero); }
BEGIN { trace(numbers[fifth]); }
BEGIN { exit(0); }

ERROR
{
	printf("%d %d %x\n", arg0, arg4, arg5);
}
