/*
 * With -Z the clauses of probes that are not there are checked by what a definition says of
 * them: by name, by the number of a process behind it, and by a glob if all of them agree.
 * @options -q -Z
 */
struct request {
	int size;
};

provider server {
	probe request(struct request *request, string peer);
	probe reply(struct request *request, string peer);
	probe stop(int reason);
};

server:::request,
server4242:::request,
server$target:::reply,
server*:::re*
/args[0]->size > 3/
{
	@[args[1]] = sum(args[0]->size);
}

server*:::stop
{
	exit(args[0]);
}

BEGIN
{
	printf("checked\n");
	exit(0);
}
