/* getmajor, getminor: parts of a kernel device number; the low 20 bits are the minor number. */
#pragma D option quiet

BEGIN
{
	printf("%d %d\n", getmajor(0x800010), getminor(0x800010));
	printf("%d %d\n", getmajor(0xfff00000), getminor(0xffffffff));
	exit(0);
}
