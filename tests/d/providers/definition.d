/*
 * A provider's definition in a tracing program is checked, but creates no probes.
 * @options -q
 */
struct request {
	int size;
};

struct shown {
	long bytes;
};

translator struct shown < struct request *r > {
	bytes = 1;
};

provider server {
	probe start(int, char *);
	probe connection__made(int descriptor, char *peer) : (char *peer, int descriptor);
	probe request(struct request *r) : (struct shown r);
	probe stop(void);
};

#pragma D attributes Evolving/Evolving/Common provider server provider
#pragma D attributes Evolving/Evolving/Common provider server args

BEGIN
{
	printf("checked\n");
	exit(0);
}
