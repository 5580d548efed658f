/*
 * test_source_stream.c: the stream source with a small server that plays the VM in a child
 * process, on the socket that a VM would use.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log_writer.h"
#include "source/source.h"
#include "targets/find/vm_stream.h"
#include "unit_main.h"

enum ending {
	END_IN_ORDER, /* sends the end marker when told to finish */
	END_KILLED,   /* dies after its first events */
	END_DAMAGED,  /* sends garbage after its first events */
	END_AT_ONCE,  /* closes the connection without a byte */
	END_NO_ANSWER /* dies instead of answering a subscription */
};

static void send_all(int fd, struct writer *writer)
{
	for (size_t at = 0; at < writer->length;) {
		/* odd pieces, so that the reader sees partial events */
		size_t piece = writer->length - at < 37 ? writer->length - at : 37;
		ssize_t sent = send(fd, writer->bytes + at, piece, MSG_NOSIGNAL);
		if (sent <= 0)
			_exit(3);
		at += (size_t)sent;
	}
	writer->length = 0;
}

static void receive(int fd, unsigned char *bytes, size_t size)
{
	if (recv(fd, bytes, size, MSG_WAITALL) != (ssize_t)size)
		_exit(4);
}

/* What the clause of the only request looks at; NULL: anything. */
static const struct d_demand *demand;

/* The connection of this test: a tracer of all VMs may find this one and connect too. */
static int accept_own(int listener)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);
	int fd;

	while ((fd = accept(listener, NULL, NULL)) >= 0 &&
		!getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.pid != getppid())
		close(fd);
	return fd;
}

/* The VM: serves one client and one subscription, then ends as it should. */
static void serve(int listener, enum ending ending)
{
	unsigned char entry[] = "\15vm:::user-msg\377\377";
	struct writer writer = {0};
	unsigned char frame[64];
	unsigned int count;
	int fd = accept_own(listener);

	if (demand)
		bytes_put(entry + sizeof(entry) - 3, demand->arguments, 2);
	if (fd < 0)
		_exit(2);
	if (ending == END_AT_ONCE)
		_exit(0);
	put_header_begin(&writer);
	put_header_end(&writer);
	put_clock(&writer, 1000, 5000);
	put_watermark(&writer, 1);
	send_all(fd, &writer);
	receive(fd, frame, WIRE_SUBSCRIBE_BYTES); /* says that it is not a plain reader */
	if (memcmp(frame, WIRE_SUBSCRIBE "\1", 5) || frame[5] != WIRE_GHC_ONLY ||
		bytes_u16(frame + 10))
		_exit(5);
	receive(fd, frame, WIRE_SUBSCRIBE_BYTES);
	count = bytes_u16(frame + 10);
	if (memcmp(frame, WIRE_SUBSCRIBE "\1", 5) || frame[5] != WIRE_LOSSLESS ||
		count != sizeof(entry) - 1)
		_exit(5);
	receive(fd, frame + WIRE_SUBSCRIBE_BYTES, count);
	if (memcmp(frame + WIRE_SUBSCRIBE_BYTES, entry, count) || ending == END_NO_ANSWER)
		_exit(6);
	/* events before the answer belong to an earlier subscription; the client ignores them */
	begin_block(&writer, 0);
	put_context(&writer, 99, 1);
	put_message(&writer, 10, "early");
	end_block(&writer);
	put_subscribed(&writer, bytes_u32(frame + 6));
	begin_block(&writer, 0);
	put_context(&writer, 99, 1);
	put_message(&writer, 12, "first");
	end_block(&writer);
	put_watermark(&writer, 15);
	begin_block(&writer, 0);
	put_message(&writer, 20, "late");
	end_block(&writer);
	if (ending == END_DAMAGED)
		put_event(&writer, 12345, 0);
	send_all(fd, &writer);
	if (ending != END_IN_ORDER)
		_exit(0);
	receive(fd, frame, WIRE_SUBSCRIBE_BYTES);
	if (frame[5] != WIRE_FINISH || bytes_u16(frame + 10) != 0)
		_exit(7);
	put_loss(&writer, TYPE_MESSAGE, 3);
	begin_block(&writer, 0);
	put_message(&writer, 30, "last");
	end_block(&writer);
	put(&writer, WIRE_DATA_END, 2);
	send_all(fd, &writer);
	_exit(0);
}

static char directory[4096];

/* Starts a child that listens where a VM does; it is ready when this returns. */
static pid_t start_vm(enum ending ending)
{
	int ready[2], listener;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	pid_t pid;
	char byte;

	mkdir(directory, 0700);
	ck_assert_int_eq(pipe(ready), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		/* the path may be too long for an address: bind from its directory */
		if (chdir(directory))
			_exit(1);
		snprintf(address.sun_path, sizeof(address.sun_path), "%d", (int)getpid());
		unlink(address.sun_path);
		listener = socket(AF_UNIX, SOCK_STREAM, 0);
		if (bind(listener, (struct sockaddr *)&address, sizeof(address)) ||
			listen(listener, 4) || write(ready[1], "", 1) != 1)
			_exit(1);
		serve(listener, ending);
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static int end_vm(pid_t pid)
{
	char path[4200];
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	snprintf(path, sizeof(path), "%s/%d", directory, (int)pid);
	unlink(path);
	return status;
}

/* Opens and enables user-msg. */
static int start(pid_t pid, struct d_probe_set *set, struct source **source, struct error *error)
{
	struct source_want want = {.demand = demand};
	const struct source_request request = {.wants = &want, .want_count = 1, .lossless = true};
	int result;

	ck_assert_int_eq(d_probe_set_init(set), 0);
	result = vm_stream_open((uint32_t)pid, NULL, 0, set, source, error);
	if (result)
		return result;
	for (size_t i = 0; i < set->count; i++)
		if (!strcmp(set->probes[i].name, "user-msg"))
			want.probe = (uint32_t)i;
	ck_assert_uint_ne(want.probe, 0);
	return source_enable(*source, &request, error);
}

/* Takes events until the stream has ended or count have come, and joins their texts. */
static enum source_state take(
	struct source *source, size_t count, char *texts, size_t *lost, struct error *error)
{
	struct event_batch batch;
	enum source_state state;

	*texts = '\0';
	*lost = 0;
	while (count && (state = source_next(source, 5000, &batch, error)) == SOURCE_MORE) {
		for (size_t i = 0; i < batch.event_count; i++) {
			uint32_t offset;
			strcat(texts,
				event_text(&batch, batch.events[i].arguments[1], &offset)->bytes);
			strcat(texts, " ");
			count -= count > 0;
		}
		for (size_t i = 0; i < batch.loss_count; i++)
			*lost += batch.losses[i].count;
	}
	return count ? state : SOURCE_MORE;
}

static void check_order(void)
{
	struct d_probe_set set;
	struct source *source;
	struct error error = {""};
	char texts[256], provider[32];
	size_t lost;
	pid_t pid = start_vm(END_IN_ORDER);

	ck_assert_msg(!start(pid, &set, &source, &error), "%s", error.text);
	snprintf(provider, sizeof(provider), "vm%d", (int)pid);
	ck_assert_str_eq(set.probes[set.count - 1].provider, provider);
	ck_assert_str_ne(set.probes[set.count - 1].module, "");
	ck_assert_uint_eq(source->process.pid, (uint32_t)pid);
	ck_assert_uint_eq(source->process.ppid, (uint32_t)getpid());
	ck_assert_uint_eq(source->process.uid, getuid());
	ck_assert_int_ge(source_descriptor(source), 0);
	ck_assert_int_eq(take(source, 1, texts, &lost, &error), SOURCE_MORE);
	ck_assert_str_eq(texts, "first ");
	source_stop(source);
	ck_assert_int_eq(take(source, 100, texts, &lost, &error), SOURCE_ENDED);
	ck_assert_str_eq(texts, "late last ");
	ck_assert_uint_eq(lost, 3);
	source_close(source);
	d_probe_set_free(&set);
	ck_assert_int_eq(end_vm(pid), 0);
}

START_TEST(test_order)
{
	check_order();
}
END_TEST

/* The strings of the arguments that the script looks at are asked for, and no others. */
START_TEST(test_strings)
{
	static const struct d_demand second = {.arguments = 2}, none = {0};

	demand = &second;
	check_order();
	demand = &none;
	check_order();
}
END_TEST

/* A directory whose path is too long for a socket address. */
START_TEST(test_long_path)
{
	char base[] = "/tmp/test-source-XXXXXX", part[101];

	if (getenv("XDG_RUNTIME_DIR")) {
		/* the environment a process starts with cannot be changed */
		printf("left out: a path that is too long: XDG_RUNTIME_DIR is set\n");
		return;
	}
	memset(part, 'x', 100);
	part[100] = '\0';
	ck_assert_ptr_nonnull(mkdtemp(base));
	snprintf(directory, sizeof(directory), "%s/%s", base, part);
	ck_assert_int_eq(mkdir(directory, 0700), 0);
	setenv("XDG_RUNTIME_DIR", directory, 1);
	strcat(directory, "/vmtap");
	check_order();
	rmdir(directory);
	*strrchr(directory, '/') = '\0';
	rmdir(directory);
	rmdir(base);
}
END_TEST

START_TEST(test_killed)
{
	struct d_probe_set set;
	struct source *source;
	struct error error = {""};
	char texts[256];
	size_t lost;
	pid_t pid = start_vm(END_KILLED);

	ck_assert_msg(!start(pid, &set, &source, &error), "%s", error.text);
	ck_assert_int_eq(take(source, 100, texts, &lost, &error), SOURCE_BROKEN);
	ck_assert_str_eq(texts, "first late ");
	ck_assert_msg(strstr(error.text, "ended without closing"), "%s", error.text);
	source_close(source);
	d_probe_set_free(&set);
	end_vm(pid);
}
END_TEST

START_TEST(test_damaged)
{
	struct d_probe_set set;
	struct source *source;
	struct error error = {""};
	char texts[256];
	size_t lost;
	pid_t pid = start_vm(END_DAMAGED);

	ck_assert_msg(!start(pid, &set, &source, &error), "%s", error.text);
	ck_assert_int_eq(take(source, 100, texts, &lost, &error), SOURCE_BROKEN);
	ck_assert_str_eq(texts, "first late ");
	ck_assert_msg(strstr(error.text, "event type 12345 was not declared"), "%s", error.text);
	source_close(source);
	d_probe_set_free(&set);
	end_vm(pid);
}
END_TEST

START_TEST(test_no_answer)
{
	struct d_probe_set set;
	struct source *source;
	struct error error = {""};
	pid_t pid = start_vm(END_NO_ANSWER);

	ck_assert_int_eq(start(pid, &set, &source, &error), -ECONNRESET);
	ck_assert_msg(strstr(error.text, "before it opened its probes"), "%s", error.text);
	source_close(source);
	d_probe_set_free(&set);
	end_vm(pid);

	pid = start_vm(END_AT_ONCE);
	ck_assert_int_eq(start(pid, &set, &source, &error), -ECONNRESET);
	ck_assert_msg(strstr(error.text, "before it declared its events"), "%s", error.text);
	ck_assert_ptr_null(source);
	d_probe_set_free(&set);
	end_vm(pid);
}
END_TEST

START_TEST(test_no_endpoint)
{
	struct d_probe_set set;
	struct source *source;
	struct error error = {""};
	int hold[2], status;
	pid_t pid;
	char byte;

	ck_assert_int_eq(pipe(hold), 0);
	pid = fork();
	if (!pid) {
		close(hold[1]);
		_exit(read(hold[0], &byte, 1) != 0);
	}
	close(hold[0]);
	ck_assert_int_eq(start(pid, &set, &source, &error), -ENOENT);
	ck_assert_msg(strstr(error.text, "serves no event stream"), "%s", error.text);
	d_probe_set_free(&set);
	/* the process ends while we wait for its socket */
	close(hold[1]);
	ck_assert_int_eq(d_probe_set_init(&set), 0);
	ck_assert_int_eq(vm_stream_open((uint32_t)pid, NULL, 60000, &set, &source, &error), -ESRCH);
	ck_assert_msg(strstr(error.text, "has ended without serving"), "%s", error.text);
	d_probe_set_free(&set);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	/* and now the process no longer exists */
	ck_assert_int_eq(start(pid, &set, &source, &error), -ESRCH);
	ck_assert_msg(strstr(error.text, "does not exist"), "%s", error.text);
	d_probe_set_free(&set);
}
END_TEST

static void *refused_as_thread(void *unused)
{
	struct d_probe_set set;
	struct source *source;
	struct error error = {""};

	(void)unused;
	ck_assert_int_eq(start((pid_t)syscall(SYS_gettid), &set, &source, &error), -EINVAL);
	ck_assert_msg(strstr(error.text, "is a thread of process"), "%s", error.text);
	d_probe_set_free(&set);
	return NULL;
}

START_TEST(test_thread)
{
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, refused_as_thread, NULL), 0);
	pthread_join(thread, NULL);
}
END_TEST

void unit_tests(TCase *tests)
{
	snprintf(directory, sizeof(directory), "/tmp/vmtap-%u", (unsigned int)getuid());
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, test_order);
	tcase_add_test(tests, test_strings);
	tcase_add_test(tests, test_long_path);
	tcase_add_test(tests, test_killed);
	tcase_add_test(tests, test_damaged);
	tcase_add_test(tests, test_no_answer);
	tcase_add_test(tests, test_no_endpoint);
	tcase_add_test(tests, test_thread);
}
