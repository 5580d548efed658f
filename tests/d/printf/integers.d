/* Integer conversions with flags, width and precision */
#pragma D option quiet

BEGIN
{
	printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d]\n", 42, 42, 42, 42, 42, 42, 42);
	printf("[%i] [%u] [%x] [%X] [%#x] [%o] [%#o]\n", -7, 7, 255, 255, 255, 8, 8);
	printf("[%*d] [%-*d] [%.*d]\n", 6, 42, 6, 42, 4, 42);
	printf("100%%\n");
	exit(0);
}
