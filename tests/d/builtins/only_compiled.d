/*
 * Variables that only the kernel knows compile with their types.
 * @options -e
 */
BEGIN
{
	this->address = caller + ucaller;
	this->register = uregs[0] + uregs[32];
	this->number = errno + stackdepth + ustackdepth + ipl + chip + lgrp + pset;
	this->thread = (uintptr_t)curthread;
	this->text = strjoin(cwd, strjoin(root, execargs));
	this->time = vtimestamp;
	this->size = sizeof (errno) + sizeof (ipl) + sizeof (uregs[1]);
}
