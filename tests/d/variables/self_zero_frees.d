/*
 * Storing 0 in self-> frees it, whatever its type; its room can be used again.
 * @options -q -x dynvarsize=4096
 */
self string text;
self int n;

BEGIN
{
	self->text = "x";
	self->text = 0;
	self->n = 4;
	self->n = 0;
	printf("%d %d\n", self->text == NULL, self->n);
	self->text = "again";
	printf("%s\n", self->text);
	exit(0);
}
