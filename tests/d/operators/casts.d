/* A cast truncates and extends */
#pragma D option quiet

BEGIN
{
	printf("%d\n", (char)300);
	printf("%d\n", (unsigned char)-1);
	printf("%d\n", (short)0x18000);
	printf("%d\n", (int)0xffffffff);
	printf("%d\n", (uint32_t)-1);
	printf("%d\n", (uint64_t)(int)-1 == -1);
	exit(0);
}
