/* system.c: see system.h. */
#define HOOKS_NONE
#include "hooks.h"

#include "scheduler.h"
#include "system.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <sys/un.h>

enum {
	DESCRIPTORS_MAX = 32,
	CONNECTIONS_MAX = 16,
	BUFFER_MAX = 64 << 10,
	BACKLOG = 4,
	MAPPINGS_MAX = 64,
	USER = 1000,
	DEVICE = 7,
	CLOCK_NS = 100, /* that reading a clock takes */
	CPU_JUMP_NS = 30000000,
	WALL_JUMP_S = 4000
};

#define IN_TIME_NS UINT64_C(20000000)

struct system_plan system_plan;
void (*system_on_thread)(void *argument);

/* ---- what fails ---- */

enum call {
	CALL_ACCEPT,
	CALL_BIND,
	CALL_EVENTFD,
	CALL_FSTAT,
	CALL_FUTEX,
	CALL_GETSOCKOPT,
	CALL_LISTEN,
	CALL_LSTAT,
	CALL_MALLOC,
	CALL_MAP,
	CALL_NANOSLEEP,
	CALL_OPEN,
	CALL_POLL,
	CALL_READ,
	CALL_RECV,
	CALL_REMAP,
	CALL_SEND,
	CALL_SETSOCKOPT,
	CALL_SOCKET,
	CALL_THREAD,
	CALL_UNLINK,
	CALL_WRITE,
	CALLS
};

/* The errors of each call's manual page that do not say that its caller is wrong. */
static const struct {
	const char *name;
	int errors[6];
} calls[CALLS] = {
	[CALL_ACCEPT] = {"accept4", {ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM, EPERM}},
	[CALL_BIND] = {"bind", {EADDRINUSE, EACCES, ENOENT, EROFS}},
	[CALL_EVENTFD] = {"eventfd", {EMFILE, ENFILE, ENOMEM}},
	[CALL_FSTAT] = {"fstat", {ENOMEM, EACCES}},
	[CALL_FUTEX] = {"futex", {EPERM}},
	[CALL_GETSOCKOPT] = {"getsockopt", {EPERM}},
	[CALL_LISTEN] = {"listen", {EADDRINUSE}},
	[CALL_LSTAT] = {"lstat", {EACCES, ENOMEM}},
	[CALL_MALLOC] = {"malloc", {ENOMEM}},
	[CALL_MAP] = {"mmap", {ENOMEM}},
	[CALL_NANOSLEEP] = {"nanosleep", {EPERM}},
	[CALL_OPEN] = {"open", {EACCES, EMFILE, ENFILE, ENOENT, ENOMEM}},
	[CALL_POLL] = {"poll", {ENOMEM, EINVAL}},
	[CALL_READ] = {"read", {EIO}},
	[CALL_RECV] = {"recv", {ECONNRESET, ENOMEM, EPERM}},
	[CALL_REMAP] = {"mremap", {ENOMEM}},
	[CALL_SEND] = {"send", {ECONNRESET, ENOBUFS, ENOMEM, EPIPE, EPERM}},
	[CALL_SETSOCKOPT] = {"setsockopt", {ENOMEM}},
	[CALL_SOCKET] = {"socket", {EMFILE, ENFILE, ENOBUFS, ENOMEM}},
	[CALL_THREAD] = {"pthread_create", {EAGAIN}},
	[CALL_UNLINK] = {"unlink", {EACCES, EROFS}},
	[CALL_WRITE] = {"write", {EIO}},
};

unsigned system_calls_count(void)
{
	return CALLS;
}

enum kind { KIND_FREE, KIND_FILE, KIND_LISTENER, KIND_SOCKET, KIND_EVENT };

struct buffer {
	size_t start, length;
	unsigned char bytes[BUFFER_MAX];
};

struct connection {
	struct buffer to_client, to_server;
	bool shut;        /* the client sends no more */
	bool hung_up;     /* the client has closed its end */
	bool server_done; /* the server has closed its end */
	bool accepted;
	uid_t user;
};

struct descriptor {
	enum kind kind;
	ino_t inode;
	struct connection *connection;
	const char *text; /* of a file: what is left to read */
	uint64_t value;   /* of an eventfd */
	bool listens;
};

struct allocation {
	struct allocation *next, *previous;
};

static struct {
	bool begun;
	bool failed;
	uint32_t failures; /* the calls that have failed, a bit each */
	ino_t inodes;
	struct descriptor descriptors[DESCRIPTORS_MAX];
	unsigned pending[BACKLOG], pending_count;
	unsigned connection_count;
	struct {
		bool exists;
		ino_t inode, socket;
	} path;
	struct allocation allocations;
	unsigned char *first; /* the first mapping while the library was set up; those stay */
	size_t first_size;
	struct {
		void *at;
		size_t size;
	} mappings[MAPPINGS_MAX];
	uint64_t wall; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	uint64_t cpu[SCHEDULE_FIBRES_MAX];
	bool late[SCHEDULE_FIBRES_MAX]; /* time ended the last wait, long after the server ran */
	struct {
		void *(*run)(void *);
		void *argument;
		bool created, runs, ends, waits;
		uint64_t ran;
	} thread;
} now;

static struct connection connections[CONNECTIONS_MAX];
static char changes; /* whoever waits for a change waits for this address */

static void change(void)
{
	schedule_wake(&changes);
}

bool system_has_failed(void)
{
	return now.failed;
}

bool system_cannot_wait(void)
{
	return now.failures >> CALL_POLL & 1 && now.failures >> CALL_FUTEX & 1;
}

/* A point of decision. Returns the error with which this call fails, or 0. */
static int failure(enum call call)
{
	unsigned count = 0;
	int error = 0;

	schedule_point();
	if (!now.begun)
		return 0;
	if (system_plan.refused >> call & 1 && schedule_now() >= system_plan.refused_from)
		error = call == CALL_MALLOC || call == CALL_MAP || call == CALL_REMAP ? ENOMEM
										      : EPERM;
	else if (system_plan.errors && !schedule_random(system_plan.errors)) {
		while (count < 6 && calls[call].errors[count])
			count++;
		error = calls[call].errors[schedule_random(count)];
	}
	if (error) {
		now.failed = true;
		now.failures |= 1u << call;
		schedule_trace("%s fails: %s", calls[call].name, strerrorname_np(error));
	}
	return error;
}

/* Whether this call is short, interrupted, or to be repeated. */
static bool is_cut(void)
{
	return now.begun && system_plan.cuts && !schedule_random(system_plan.cuts);
}

static int end(int error)
{
	errno = error;
	return error ? -1 : 0;
}

/* ---- descriptors ---- */

static struct descriptor *get(int number, const char *what)
{
	if (number < 0 || number >= DESCRIPTORS_MAX || !now.descriptors[number].kind)
		schedule_fail("%s: descriptor %d is not open", what, number);
	return &now.descriptors[number];
}

static int open_from(unsigned first, enum kind kind)
{
	for (unsigned i = first; i < DESCRIPTORS_MAX; i++)
		if (!now.descriptors[i].kind) {
			now.descriptors[i] =
				(struct descriptor){.kind = kind, .inode = ++now.inodes};
			return (int)i;
		}
	errno = EMFILE;
	return -1;
}

static int open_any(enum kind kind)
{
	return open_from(system_plan.first, kind);
}

int system_close(int number)
{
	struct descriptor *closed;

	schedule_point();
	closed = get(number, "close");
	schedule_trace("closes %d", number);
	closed->kind = KIND_FREE;
	for (unsigned i = 0; i < DESCRIPTORS_MAX; i++)
		if (now.descriptors[i].kind && now.descriptors[i].inode == closed->inode)
			return 0; /* that was a copy */
	if (closed->connection)
		closed->connection->server_done = true;
	if (closed->listens)
		while (now.pending_count)
			connections[now.pending[--now.pending_count]].server_done = true;
	change();
	return 0;
}

int system_fcntl(int number, int command, ...)
{
	va_list list;
	int first, moved;

	va_start(list, command);
	first = va_arg(list, int);
	va_end(list);
	schedule_expect(command == F_DUPFD_CLOEXEC, "fcntl %d is not simulated", command);
	moved = open_from((unsigned)first, KIND_FILE);
	if (moved >= 0)
		now.descriptors[moved] = *get(number, "fcntl");
	return moved;
}

int system_open(const char *path, int flags, ...)
{
	int error = failure(CALL_OPEN), number;

	(void)flags;
	if (error)
		return end(error);
	number = open_any(KIND_FILE);
	if (number >= 0)
		now.descriptors[number].text = strstr(path, "clocksource") ? "hpet\n"
			: strstr(path, "cmdline")                          ? "toy"
									   : "";
	return number;
}

int system_flock(int number, int operation)
{
	(void)operation;
	get(number, "flock");
	return 0;
}

int system_fchmod(int number, mode_t mode)
{
	(void)mode;
	get(number, "fchmod");
	return 0;
}

int system_fstat(int number, struct stat *status)
{
	static const mode_t modes[] = {[KIND_FILE] = S_IFDIR | 0700,
		[KIND_LISTENER] = S_IFSOCK | 0600,
		[KIND_SOCKET] = S_IFSOCK | 0600,
		[KIND_EVENT] = 0600};
	int error = failure(CALL_FSTAT);

	if (!error && number < 0)
		error = EBADF;
	if (error)
		return end(error);
	const struct descriptor *own = get(number, "fstat");
	*status = (struct stat){.st_mode = modes[own->kind],
		.st_uid = USER,
		.st_dev = DEVICE,
		.st_ino = own->inode};
	return 0;
}

int system_eventfd(unsigned value, int flags)
{
	int error = failure(CALL_EVENTFD), number;

	(void)flags;
	if (error)
		return end(error);
	number = open_any(KIND_EVENT);
	if (number >= 0)
		now.descriptors[number].value = value;
	return number;
}

/* ---- the socket ---- */

int system_socket(int domain, int type, int protocol)
{
	int error = failure(CALL_SOCKET);

	(void)domain, (void)type, (void)protocol;
	return error ? end(error) : open_any(KIND_LISTENER);
}

int system_bind(int number, const struct sockaddr *address, socklen_t length)
{
	int error = failure(CALL_BIND);

	(void)address, (void)length;
	if (!error && now.path.exists)
		error = EADDRINUSE;
	if (error)
		return end(error);
	now.path.exists = true;
	now.path.inode = ++now.inodes;
	now.path.socket = get(number, "bind")->inode;
	return 0;
}

int system_listen(int number, int backlog)
{
	int error = failure(CALL_LISTEN);

	(void)backlog;
	if (error)
		return end(error);
	get(number, "listen")->listens = true;
	change();
	return 0;
}

static struct descriptor *listener(void)
{
	for (unsigned i = 0; i < DESCRIPTORS_MAX; i++)
		if (now.descriptors[i].kind == KIND_LISTENER && now.descriptors[i].listens &&
			now.path.exists && now.descriptors[i].inode == now.path.socket)
			return &now.descriptors[i];
	return NULL;
}

static int add_connection(void)
{
	struct connection *made = &connections[now.connection_count];

	if (!listener())
		return -ECONNREFUSED;
	if (now.pending_count == BACKLOG || now.connection_count == CONNECTIONS_MAX)
		return -EAGAIN;
	made->to_client.start = made->to_client.length = 0;
	made->to_server.start = made->to_server.length = 0;
	made->shut = made->hung_up = made->server_done = made->accepted = false;
	made->user =
		system_plan.strangers && !schedule_random(system_plan.strangers) ? USER + 1 : USER;
	memmove(now.pending + 1, now.pending, now.pending_count * sizeof(*now.pending));
	now.pending[0] = now.connection_count;
	now.pending_count++;
	change();
	return (int)now.connection_count++;
}

/* The library's: to find out whether anybody listens, and to wake a server that it cannot tell. */
int system_connect(int number, const struct sockaddr *address, socklen_t length)
{
	int made;

	(void)address, (void)length;
	schedule_point();
	get(number, "connect");
	made = add_connection();
	if (made < 0)
		return end(-made);
	connections[made].hung_up = true;
	return 0;
}

int system_accept4(int number, struct sockaddr *address, socklen_t *length, int flags)
{
	int error = failure(CALL_ACCEPT), accepted;

	(void)address, (void)length, (void)flags;
	get(number, "accept4");
	if (!error && is_cut())
		error = schedule_random(2) ? EINTR : EAGAIN;
	if (!error && !now.pending_count)
		error = EAGAIN;
	if (error) {
		if (error == ECONNABORTED && now.pending_count) {
			connections[now.pending[--now.pending_count]].server_done = true;
			change();
		}
		return end(error);
	}
	accepted = open_any(KIND_SOCKET);
	if (accepted < 0)
		return -1;
	struct connection *connection = &connections[now.pending[--now.pending_count]];
	connection->accepted = true;
	now.descriptors[accepted].connection = connection;
	schedule_trace("accepts %d", accepted);
	return accepted;
}

int system_getsockopt(int number, int level, int option, void *value, socklen_t *length)
{
	struct ucred peer = {.pid = 77, .uid = USER};
	int error = failure(CALL_GETSOCKOPT);

	(void)length;
	if (error)
		return end(error);
	schedule_expect(level == SOL_SOCKET && option == SO_PEERCRED,
		"getsockopt %d is not simulated", option);
	peer.uid = get(number, "getsockopt")->connection->user;
	memcpy(value, &peer, sizeof(peer));
	return 0;
}

int system_setsockopt(int number, int level, int option, const void *value, socklen_t length)
{
	(void)level, (void)option, (void)value, (void)length;
	get(number, "setsockopt");
	return end(failure(CALL_SETSOCKOPT));
}

int system_lstat(const char *path, struct stat *status)
{
	int error = failure(CALL_LSTAT);

	(void)path;
	if (!error && !now.path.exists)
		error = ENOENT;
	if (error)
		return end(error);
	*status = (struct stat){.st_mode = S_IFSOCK | 0600,
		.st_uid = USER,
		.st_dev = DEVICE,
		.st_ino = now.path.inode};
	return 0;
}

/* Folders are there already, and empty; nothing is made in the real file system. */
int system_mkdir(const char *path, mode_t mode)
{
	(void)path;
	(void)mode;
	return end(EEXIST);
}

char *system_mkdtemp(char *path)
{
	return path;
}

DIR *system_opendir(const char *path)
{
	(void)path;
	end(ENOENT);
	return NULL;
}

int system_unlink(const char *path)
{
	int error = failure(CALL_UNLINK);

	(void)path;
	if (!error && !now.path.exists)
		error = ENOENT;
	if (!error)
		now.path.exists = false;
	return end(error);
}

/* ---- reading and writing ---- */

static size_t buffer_put(struct buffer *buffer, const void *bytes, size_t length)
{
	size_t limit = system_plan.buffer < BUFFER_MAX ? system_plan.buffer : BUFFER_MAX;

	if (length > limit - buffer->length)
		length = limit - buffer->length;
	if (buffer->start + buffer->length + length > BUFFER_MAX) {
		memmove(buffer->bytes, buffer->bytes + buffer->start, buffer->length);
		buffer->start = 0;
	}
	memcpy(buffer->bytes + buffer->start + buffer->length, bytes, length);
	buffer->length += length;
	return length;
}

static size_t buffer_take(struct buffer *buffer, void *bytes, size_t length)
{
	if (length > buffer->length)
		length = buffer->length;
	memcpy(bytes, buffer->bytes + buffer->start, length);
	buffer->length -= length;
	buffer->start = buffer->length ? buffer->start + length : 0;
	return length;
}

static ssize_t receive(struct connection *from, void *bytes, size_t length)
{
	bool cut = is_cut();

	if (cut && schedule_random(2))
		return end(schedule_random(2) ? EINTR : EAGAIN);
	if (!from->to_server.length)
		return from->shut || from->hung_up ? 0 : end(EAGAIN);
	if (cut)
		length = 1 + schedule_random((unsigned)length);
	length = buffer_take(&from->to_server, bytes, length);
	change();
	return (ssize_t)length;
}

ssize_t system_recv(int number, void *bytes, size_t length, int flags)
{
	int error = failure(CALL_RECV);

	(void)flags;
	return error ? end(error) : receive(get(number, "recv")->connection, bytes, length);
}

ssize_t system_read(int number, void *bytes, size_t length)
{
	int error = failure(CALL_READ);
	struct descriptor *from = get(number, "read");

	if (error)
		return end(error);
	if (from->kind == KIND_SOCKET)
		return receive(from->connection, bytes, length);
	if (from->kind == KIND_EVENT) {
		if (is_cut())
			return end(EINTR);
		if (!from->value)
			return end(EAGAIN);
		memcpy(bytes, &from->value, sizeof(from->value));
		from->value = 0;
		return sizeof(from->value);
	}
	if (length > strlen(from->text))
		length = strlen(from->text);
	memcpy(bytes, from->text, length);
	from->text += length;
	return (ssize_t)length;
}

static ssize_t transmit(struct connection *to, const void *bytes, size_t length)
{
	bool cut = is_cut();

	if (cut && schedule_random(2))
		return end(schedule_random(2) ? EINTR : EAGAIN);
	if (to->hung_up)
		return end(EPIPE);
	if (cut)
		length = 1 + schedule_random((unsigned)length);
	length = buffer_put(&to->to_client, bytes, length);
	if (!length)
		return end(EAGAIN);
	change();
	return (ssize_t)length;
}

ssize_t system_send(int number, const void *bytes, size_t length, int flags)
{
	int error = failure(CALL_SEND);

	schedule_expect(flags & MSG_NOSIGNAL && flags & MSG_DONTWAIT, "send may block or kill");
	return error ? end(error) : transmit(get(number, "send")->connection, bytes, length);
}

ssize_t system_write(int number, const void *bytes, size_t length)
{
	int error = failure(CALL_WRITE);
	struct descriptor *to = get(number, "write");
	uint64_t value;

	if (error)
		return end(error);
	if (to->kind == KIND_SOCKET)
		return transmit(to->connection, bytes, length);
	schedule_expect(to->kind == KIND_EVENT, "descriptor %d is written to", number);
	if (is_cut())
		return end(EINTR);
	memcpy(&value, bytes, sizeof(value));
	to->value += value;
	schedule_trace("writes to the eventfd");
	change();
	return sizeof(value);
}

static short events_of(const struct descriptor *polled, short events)
{
	const struct connection *connection = polled->connection;
	short found = 0;

	switch (polled->kind) {
	case KIND_FREE:
		return POLLNVAL;
	case KIND_FILE:
		break;
	case KIND_LISTENER:
		found = now.pending_count ? POLLIN : 0;
		break;
	case KIND_EVENT:
		found = polled->value ? POLLIN : 0;
		break;
	case KIND_SOCKET:
		found = connection->to_server.length || connection->shut || connection->hung_up
			? POLLIN
			: 0;
		if (connection->hung_up)
			return (short)(POLLHUP | (found & events));
		found |= connection->to_client.length < system_plan.buffer ? POLLOUT : 0;
		break;
	}
	return (short)(found & events);
}

static int look(struct pollfd *polled, nfds_t count)
{
	int ready = 0;

	for (nfds_t i = 0; i < count; i++) {
		polled[i].revents = 0;
		if (polled[i].fd < 0)
			continue;
		polled[i].revents = polled[i].fd < DESCRIPTORS_MAX
			? events_of(&now.descriptors[polled[i].fd], polled[i].events)
			: POLLNVAL;
		ready += polled[i].revents != 0;
	}
	return ready;
}

int system_poll(struct pollfd *polled, nfds_t count, int timeout_ms)
{
	uint64_t until =
		timeout_ms < 0 ? UINT64_MAX : schedule_now() + (uint64_t)timeout_ms * 1000000u;
	int error = failure(CALL_POLL), ready;

	if (!error && is_cut())
		error = EINTR;
	if (error)
		return end(error);
	schedule_trace("polls for %d ms", timeout_ms);
	now.thread.waits = true;
	while (!(ready = look(polled, count)) && timeout_ms && schedule_wait(&changes, until))
		;
	now.thread.waits = false;
	schedule_trace("poll: %d", ready);
	now.thread.ran = schedule_now();
	return ready;
}

/* ---- a client's side ---- */

int system_peer_connect(void)
{
	schedule_point();
	return add_connection();
}

ssize_t system_peer_send(int connection, const void *bytes, size_t length)
{
	struct connection *to = &connections[connection];

	schedule_point();
	if (to->server_done || to->shut)
		return -1;
	length = buffer_put(&to->to_server, bytes, length);
	change();
	return (ssize_t)length;
}

ssize_t system_peer_receive(int connection, void *bytes, size_t length)
{
	struct connection *from = &connections[connection];

	schedule_point();
	if (!from->to_client.length)
		return from->server_done ? -1 : 0;
	length = buffer_take(&from->to_client, bytes, length);
	change();
	return (ssize_t)length;
}

bool system_peer_wait(uint64_t until)
{
	return schedule_wait(&changes, until);
}

void system_peer_shut(int connection)
{
	schedule_point();
	connections[connection].shut = true;
	change();
}

void system_peer_hang_up(int connection)
{
	schedule_point();
	connections[connection].hung_up = true;
	change();
}

/* ---- time ---- */

void system_sleep(uint64_t ns)
{
	static char nobody;

	schedule_wait(&nobody, schedule_now() + ns);
}

int system_nanosleep(const struct timespec *time, struct timespec *left)
{
	int error = failure(CALL_NANOSLEEP);

	(void)left;
	if (!error && is_cut())
		error = EINTR;
	if (!error)
		system_sleep((uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec);
	return end(error);
}

int system_clock(clockid_t clock, struct timespec *time)
{
	uint64_t ns;

	schedule_pass(CLOCK_NS); /* so that whoever waits for time to pass ends */
	ns = schedule_now();
	if (clock == CLOCK_THREAD_CPUTIME_ID) {
		uint64_t *cpu = &now.cpu[schedule_fibre()];
		*cpu += now.begun && !schedule_random(100) ? schedule_random(CPU_JUMP_NS) : 1000;
		ns = *cpu;
	} else if (clock == CLOCK_REALTIME) {
		if (now.begun && system_plan.jumps && !schedule_random(system_plan.jumps))
			now.wall += schedule_random(WALL_JUMP_S) * UINT64_C(1000000000);
		ns += now.wall;
	}
	*time = (struct timespec){
		.tv_sec = (time_t)(ns / 1000000000u), .tv_nsec = (long)(ns % 1000000000u)};
	return 0;
}

/* A wait that time ended although it could go on: the wake-up is lost, unless whoever would have
 * woken it has just run. */
static long futex(uint32_t *address, int operation, uint32_t value, const struct timespec *limit)
{
	uint64_t ns = limit ? (uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec
			    : UINT64_MAX - schedule_now();
	int error = failure(CALL_FUTEX);

	if (error)
		return end(error);
	if ((operation & FUTEX_CMD_MASK) == FUTEX_WAKE) {
		schedule_wake(address);
		return 1;
	}
	if (*(volatile uint32_t *)address != value)
		return end(EAGAIN);
	schedule_trace("waits");
	now.late[schedule_fibre()] = false;
	if (!schedule_wait(address, schedule_now() + ns)) {
		schedule_expect(*(volatile uint32_t *)address == value || ns <= IN_TIME_NS ||
				now.failed || schedule_now() - now.thread.ran < IN_TIME_NS,
			"a wait for %" PRIu64 " ms ended by itself: its wake-up was lost",
			ns / 1000000);
		now.late[schedule_fibre()] =
			!now.failed && schedule_now() - now.thread.ran >= IN_TIME_NS;
		return end(ETIMEDOUT);
	}
	return 0;
}

bool system_woke_late(void)
{
	bool late = now.late[schedule_fibre()];

	now.late[schedule_fibre()] = false;
	return late;
}

long system_syscall(long number, ...)
{
	long arguments[4];
	va_list list;

	va_start(list, number);
	for (unsigned i = 0; i < 4; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	switch (number) {
	case SYS_futex:
		return futex((uint32_t *)arguments[0], (int)arguments[1], (uint32_t)arguments[2],
			(const struct timespec *)arguments[3]);
	case SYS_write:
		return system_write(
			(int)arguments[0], (const void *)arguments[1], (size_t)arguments[2]);
	default:
		return schedule_syscall(
			number, arguments[0], arguments[1], arguments[2], arguments[3]);
	}
}

/* ---- memory ---- */

/* What is allocated while the library is set up stays. */
static void *allocate(size_t size)
{
	struct allocation *made;

	if (!now.begun)
		return calloc(1, size);
	if (failure(CALL_MALLOC)) {
		errno = ENOMEM;
		return NULL;
	}
	made = calloc(1, sizeof(*made) + size);
	made->next = now.allocations.next;
	made->previous = &now.allocations;
	made->next->previous = made;
	now.allocations.next = made;
	return made + 1;
}

void *system_malloc(size_t size)
{
	return allocate(size);
}

void *system_calloc(size_t count, size_t size)
{
	return allocate(count * size);
}

static void release(struct allocation *freed)
{
	freed->next->previous = freed->previous;
	freed->previous->next = freed->next;
	free(freed);
}

void system_free(void *memory)
{
	if (memory)
		release((struct allocation *)memory - 1);
}

char *system_strndup(const char *text, size_t size)
{
	size_t length = strnlen(text, size);
	char *copy = allocate(length + 1);

	if (copy) {
		memcpy(copy, text, length);
		copy[length] = '\0';
	}
	return copy;
}

char *system_strdup(const char *text)
{
	return system_strndup(text, strlen(text));
}

static unsigned find_mapping(const void *at)
{
	for (unsigned i = 0; i < MAPPINGS_MAX; i++)
		if (now.mappings[i].at == at)
			return i;
	schedule_fail(at ? "memory is unmapped that is not mapped" : "too many mappings");
}

void *system_map(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	int error = failure(CALL_MAP);

	if (error) {
		errno = error;
		return MAP_FAILED;
	}
	void *made = mmap(at, size, protection, flags, file, offset);
	if (made == MAP_FAILED)
		schedule_fail("no memory for this test");
	if (!now.begun) {
		if (!now.first) {
			now.first = made;
			now.first_size = size;
		}
		return made;
	}
	unsigned i = find_mapping(NULL);
	now.mappings[i].at = made;
	now.mappings[i].size = size;
	return made;
}

int system_unmap(void *at, size_t size)
{
	schedule_point();
	unsigned i = find_mapping(at);
	(void)size; /* of a ring that the scenario has made small, this is less */
	now.mappings[i].at = NULL;
	return munmap(at, now.mappings[i].size);
}

void *system_mremap(void *at, size_t before, size_t size, int flags)
{
	unsigned i = find_mapping(at);
	int error = system_plan.may_grow ? 0 : failure(CALL_REMAP);

	if (error) {
		errno = error;
		return MAP_FAILED;
	}
	schedule_expect(now.mappings[i].size == before, "a mapping has another size");
	at = mremap(at, before, size, flags);
	if (at == MAP_FAILED)
		schedule_fail("no memory for this test");
	now.mappings[i].at = at;
	now.mappings[i].size = size;
	return at;
}

/* ---- threads ---- */

int system_pthread_create(
	pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument)
{
	int error = failure(CALL_THREAD);

	(void)attributes;
	if (error)
		return error;
	schedule_expect(!now.thread.created, "a second thread is created");
	*thread = 1;
	if (system_on_thread)
		system_on_thread(argument);
	now.thread.run = run;
	now.thread.argument = argument;
	now.thread.created = now.thread.runs = true;
	change();
	return 0;
}

void system_run_threads(void)
{
	for (;;) {
		while (!now.thread.runs && !now.thread.ends)
			schedule_wait(&changes, UINT64_MAX);
		if (!now.thread.runs)
			return;
		now.thread.run(now.thread.argument);
		now.thread.runs = false;
		change();
	}
}

void system_end_threads(void)
{
	now.thread.ends = true;
	change();
}

bool system_thread_runs(void)
{
	return now.thread.runs;
}

bool system_thread_waits(void)
{
	return now.thread.waits || !now.thread.runs;
}

static int join(uint64_t until)
{
	while (now.thread.runs)
		if (!schedule_wait(&changes, until))
			return ETIMEDOUT;
	now.thread.created = false;
	return 0;
}

int system_pthread_join(pthread_t thread, void **result)
{
	(void)thread, (void)result;
	return join(UINT64_MAX);
}

int system_pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *limit)
{
	(void)thread, (void)result;
	return join((uint64_t)limit->tv_sec * 1000000000u + (uint64_t)limit->tv_nsec - now.wall);
}

int system_pthread_once(pthread_once_t *once, void (*run)(void))
{
	if (!*once)
		run();
	*once = 1;
	return 0;
}

int system_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	(void)prepare, (void)parent, (void)child;
	return 0;
}

int system_pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
	(void)how, (void)set;
	if (before)
		sigfillset(before);
	return 0;
}

/* ---- the rest ---- */

char *system_secure_getenv(const char *name)
{
	(void)name;
	return NULL;
}

int system_prctl(int option, ...)
{
	(void)option;
	return 0;
}

int system_getpriority(int which, id_t who)
{
	(void)which, (void)who;
	return 0;
}

int system_sched_getscheduler(pid_t process)
{
	(void)process;
	return SCHED_BATCH;
}

int system_sched_getcpu(void)
{
	return (int)schedule_fibre();
}

int system_kill(pid_t process, int signal)
{
	(void)process, (void)signal;
	return 0;
}

pid_t system_getpid(void)
{
	return SCHEDULE_PROCESS;
}

pid_t system_getppid(void)
{
	return 1;
}

uid_t system_geteuid(void)
{
	return USER;
}

/* ---- schedules ---- */

void system_begin(size_t first, size_t last)
{
	schedule_keep(now.first, first);
	schedule_keep(now.first + now.first_size - last, last);
	now.begun = true;
	now.allocations.next = now.allocations.previous = &now.allocations;
}

void system_reset(void)
{
	while (now.allocations.next != &now.allocations)
		release(now.allocations.next);
	for (unsigned i = 0; i < MAPPINGS_MAX; i++)
		if (now.mappings[i].at) {
			munmap(now.mappings[i].at, now.mappings[i].size);
			now.mappings[i].at = NULL;
		}
	memset(now.descriptors, 0, sizeof(now.descriptors));
	memset(now.cpu, 0, sizeof(now.cpu));
	memset(now.late, 0, sizeof(now.late));
	memset(&now.thread, 0, sizeof(now.thread));
	now.failed = false;
	now.failures = 0;
	now.inodes = 100;
	now.pending_count = now.connection_count = 0;
	now.wall = UINT64_C(1700000000000000000);
	now.path.exists = system_plan.stale;
	now.path.inode = 99;
	now.path.socket = 0;
}

void system_check_left(unsigned rings)
{
	unsigned mapped = 0, allocated = 0;

	for (unsigned i = 0; i < DESCRIPTORS_MAX; i++)
		schedule_expect(!now.descriptors[i].kind, "descriptor %u is left", i);
	for (unsigned i = 0; i < MAPPINGS_MAX; i++)
		mapped += now.mappings[i].at != NULL;
	for (struct allocation *one = now.allocations.next; one != &now.allocations;
		one = one->next)
		allocated++;
	schedule_expect(mapped == rings, "%u mappings are left, %u of them rings", mapped, rings);
	schedule_expect(!allocated, "%u allocations are left", allocated);
	schedule_expect(!now.path.exists || now.failed, "the socket's path is left");
}
