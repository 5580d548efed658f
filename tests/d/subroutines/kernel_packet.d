/* Only the kernel has packets: pcap compiles, and is refused if no kernel is traced.
 * @status 1 */
BEGIN
{
	pcap((void *)arg0, 1);
	exit(0);
}
