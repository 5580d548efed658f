/* The usual idiom: what a thread does is recorded until it is known whether it matters. */
vm$target:::gc-start
{
	self->spec = speculation();
}

vm$target:::gc-start
/self->spec/
{
	speculate(self->spec);
	printf("start %d", arg1);
}

vm$target:::gc-end
/self->spec/
{
	speculate(self->spec);
	printf("end, %d freed", arg3);
}

vm$target:::gc-end
/self->spec && arg3 > 100/
{
	commit(self->spec);
	self->spec = 0;
}

vm$target:::gc-end
/self->spec && arg3 <= 100/
{
	discard(self->spec);
	self->spec = 0;
}
