/* copyin() of no bytes reads nothing, and zeroes follow a block that is smaller than tracemem's size. */
#pragma D option quiet

vm$target:::user-msg
{
	this->none = copyin(arg1 + 100, 0);
	copyinto(0, 0, alloca(4));
	tracemem(this->none, 4);
	tracemem(copyin(arg1, 7), 20);
	tracemem(alloca(3), 5);
}
