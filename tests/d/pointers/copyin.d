/* copyin() copies the bytes of an event's text, and the script may change the copy; reading beyond
 * the end of the text is a fault. */
#pragma D option quiet
vm*:::user-msg
{
	this->n = strlen(copyinstr(arg1));
	this->buf = (char *)copyin(arg1, this->n + 1);
	this->buf[0] = 'J';
	printf("%s %s\n", stringof(this->buf), copyinstr(arg1));
	this->buf[this->n - 1] = '\0';
	@[stringof(this->buf)] = count();
}
vm*:::user-msg
{
	this->block = (char *)alloca(16);
	copyinto(arg1 + 1, 3, this->block);
	tracemem(this->block, 5);
}
vm*:::user-msg
{
	this->n = 4000;
	this->buf = (char *)copyin(arg1, this->n);
}
