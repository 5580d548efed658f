/* A packet is the kernel's: pcap compiles, and is refused where no kernel is traced.
 * @status 1 */
BEGIN
{
	pcap((void *)arg0, 1);
	exit(0);
}
