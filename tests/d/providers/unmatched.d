/*
 * With -Z, clauses of probes that do not exist are checked against a definition of the provider:
 * by its name, its name and a pid, and by a glob if all that match agree.
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
