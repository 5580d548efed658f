/* %e %f %g and their capitals take floating-point values from memory; D has no such literals. */
#pragma D option quiet

struct numbers {
	double d;
	float f;
};

BEGIN
{
	this->p = (struct numbers *)alloca(sizeof(struct numbers));
	*(uint64_t *)this->p = 0x4004000000000000;
	*(uint32_t *)((char *)this->p + 8) = 0x3fc00000;
	printf("%f %e %g %G %E\n", this->p->d, this->p->d, this->p->d, this->p->d, this->p->d);
	printf("[%8.2f] [%-8.1f] [%+g] [%08.3lf]\n", this->p->f, this->p->f, this->p->f,
	    this->p->d);
	exit(0);
}
