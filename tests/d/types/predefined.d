/* The names of types that scripts of every system use. */
#pragma D option quiet
BEGIN
{
	printf("%d %d %d %d\n", sizeof(int8_t), sizeof(uint16_t), sizeof(int32_t), sizeof(uint64_t));
	printf("%d %d %d %d\n", sizeof(uchar_t), sizeof(ushort_t), sizeof(uint_t), sizeof(ulong_t));
	printf("%d %d %d\n", sizeof(longlong_t), sizeof(u_longlong_t), sizeof(hrtime_t));
	printf("%d %d %d %d\n", sizeof(bool), sizeof(_Bool), sizeof(boolean_t), sizeof(caddr_t));
	printf("%d %d %d %d\n", sizeof(u8), sizeof(u16), sizeof(u32), sizeof(u64));
	printf("%d %d %d %d\n", sizeof(s8), sizeof(__u16), sizeof(__be32), sizeof(loff_t));
	printf("%d %d %d %d\n", sizeof(pid_t), sizeof(uid_t), sizeof(gid_t), sizeof(id_t));
	printf("%d %d %d %d\n", sizeof(size_t), sizeof(ssize_t), sizeof(ptrdiff_t),
	    sizeof(uintptr_t));
	printf("%d %d %d\n", sizeof(float), sizeof(double), sizeof(long double));
	printf("%d %d %d\n", sizeof(void *), sizeof(string), sizeof("abc"));
	exit(0);
}
