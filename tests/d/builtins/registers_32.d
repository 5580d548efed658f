/* The registers' 32-bit names are those of the 64-bit registers that contain them. */
#pragma D option quiet
BEGIN
{
	printf("%d%d%d%d", R_EAX == R_RAX, R_EBX == R_RBX, R_ECX == R_RCX, R_EDX == R_RDX);
	printf("%d%d%d%d", R_ESI == R_RSI, R_EDI == R_RDI, R_EBP == R_RBP, R_ESP == R_RSP);
	printf("%d%d\n", R_EIP == R_RIP, R_EFL == R_RFL);
	exit(0);
}
