/*
 * Functions of a process, which only the kernel can stop at.
 * @status 1
 */
pid$target:libc:malloc:entry
{
	@ = quantize(arg0);
}
