/* Subroutines that read the kernel's data too.
 * @status 1 */
BEGIN
/d_path((void *)arg0) == "/"/
{
	exit(0);
}
