/* Combined flags, as in C. */
#pragma D option quiet

BEGIN
{
	printf("[%+d] [% d] [%+ d] [%-5d] [%05d] [%-05d] [%0-5d]\n", 7, 7, 7, 7, 7, 7, 7);
	printf("[%+05d] [% 05d] [%+-6d] [%08.3d] [%.0d] [%.5d]\n", 7, 7, 7, 7, 0, -7);
	printf("[%#x] [%#X] [%#o] [%#010x] [%#-8x] [%#x]\n", 255, 255, 8, 255, 255, 0);
	printf("[%+u] [% x] [%8.3u] [%-8.3u]\n", 7, 7, 7, 7);
	printf("[%*d] [%-*d] [%.*d] [%*.*d]\n", 4, 7, 4, 7, 3, 7, 6, 3, 7);
	printf("[%*d] [%.*s]\n", -4, 7, -1, "abc");
	printf("[%5s] [%-5s] [%.2s] [%5.1s]\n", "abc", "abc", "abc", "abc");
	printf("[%c] [%3c] [%-3c] [%?x] [%%]\n", 65, 65, 65, 255);
	exit(0);
}
