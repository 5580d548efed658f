/*
 * prefork.c: a server that forks its workers, as a VM: prefork WORKERS MODE [EVENTS [PATH]]. With
 * MODE "start" each worker calls vmtap_start(), with "option" the library does so in fork(), with
 * "turns" too, but without a thread, with "refuse" no client can make it wait, and with "none"
 * nobody does. With "leave" and "die" it is as with "option", but workers end by _exit() or by
 * SIGKILL. With "orphans" it is as with "option", but each worker fires gc-work, waits for the file
 * PATH.apart, forks and ends, as daemons do, and its child does the work after that. Each worker
 * reports its number as a capability, and the parent that it has ended. With EVENTS the parent
 * first waits until somebody wants gc-idle, and each worker fires as many of these at once. With
 * PATH the parent first waits for the file PATH.go, and a worker that has fired adds a line to
 * PATH.fired, fires gc-work until there is PATH.end, and adds how many to PATH.work.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <vmtap.h>

static const char *path;

static void pause_shortly(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	vmtap_turn();
}

static const char *file(const char *end)
{
	static char name[4096];

	snprintf(name, sizeof(name), "%s.%s", path, end);
	return name;
}

static void add_line(const char *end, int number)
{
	int descriptor = open(file(end), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	if (dprintf(descriptor, "%d\n", number) < 0)
		_exit(4);
	close(descriptor);
}

/* Says that all events have been fired, and fires others, so that somebody sees that it is there.
 */
static void stay(int number)
{
	int fired = 0;

	add_line("fired", number);
	for (; access(file("end"), F_OK); fired++) {
		VMTAP_GC_WORK((uint16_t)number);
		pause_shortly();
	}
	add_line("work", fired);
}

static int work(int number, int starts, int events)
{
	if (starts && vmtap_start(NULL))
		return 1;
	VMTAP_STARTUP((uint16_t)number);
	for (int i = 0; i < events; i++)
		VMTAP_GC_IDLE((uint16_t)number);
	if (path)
		stay(number);
	VMTAP_SHUTDOWN((uint16_t)number);
	return 0; /* exit() ends the stream */
}

/* Returns in the orphan. */
static void leave_orphan(int number)
{
	pid_t worker = getpid();

	VMTAP_GC_WORK((uint16_t)number);
	while (access(file("apart"), F_OK))
		pause_shortly();
	if (fork())
		exit(0);
	while (getppid() == worker)
		pause_shortly();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[2] : "none";
	struct vmtap_options options = {.size = sizeof(options),
		.runtime = "prefork 1.0",
		.argument_count = argc,
		.arguments = argv,
		.without_thread = !strcmp(mode, "turns"),
		.lossless_ms = strcmp(mode, "refuse") ? 0 : -1,
		.serve_children = strcmp(mode, "start") && strcmp(mode, "none")};
	int workers = argc > 1 ? atoi(argv[1]) : 1, status, failed = 0;
	int events = argc > 3 ? atoi(argv[3]) : 0;

	path = argc > 4 ? argv[4] : NULL;
	if (vmtap_start(&options))
		return 2;
	while (events && !VMTAP_GC_IDLE_ENABLED())
		pause_shortly();
	while (path && access(file("go"), F_OK))
		pause_shortly();
	for (int i = 1; i <= workers; i++) {
		pid_t child = fork();
		if (child < 0)
			return 3;
		if (!child && !strcmp(mode, "orphans"))
			leave_orphan(i);
		if (child)
			continue;
		status = work(i, !strcmp(mode, "start"), events);
		if (!strcmp(mode, "leave"))
			_exit(status);
		if (!strcmp(mode, "die"))
			kill(getpid(), SIGKILL);
		exit(status);
	}
	while (wait(&status) > 0)
		failed |= strcmp(mode, "die") ? status : status != SIGKILL;
	VMTAP_SHUTDOWN(0);
	return failed != 0;
}
