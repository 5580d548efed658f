/*
 * Functions of a process, which only the kernel can trace.
 * @status 1
 */
pid$target:libc:malloc:entry
{
	@ = quantize(arg0);
}
