/*
 * bpf.c: see bpf.h. The constants and the part of union bpf_attr that are missing in older kernels'
 * headers are written down here; the kernel's interface to programs does not change.
 */
#include "kernel/bpf/bpf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/debug.h"
#include "base/error.h"

enum {
	ATTACH_UPROBE_MULTI = 48, /* enum bpf_attach_type, Linux 6.6 */
	MULTI_RETURN = 1,
	LOG_BYTES = 64 << 10,
	LOAD_TRIES = 5,
	CLOSERS_MAX = 64, /* they wait for the kernel, and hardly run */
	CLOSE_AT_ONCE = 1 /* more links than that are closed by further threads */
};

static const char license[] = "Dual BSD/GPL"; /* for the helpers that read user memory */

static int bpf_system_call(int command, void *attributes, size_t size)
{
	int result;

	unsigned tries = 0;

	do /* a signal may interrupt the check of a program */
		result = (int)syscall(SYS_bpf, command, attributes, size);
	while (result < 0 && errno == EAGAIN && command == BPF_PROG_LOAD && ++tries < LOAD_TRIES);
	return result < 0 ? -errno : result;
}

/* ---- maps ---- */

/* Asks the kernel for the description of the BPF object with this descriptor. */
static int get_info(int descriptor, void *info, size_t size)
{
	union bpf_attr attributes = {0};

	attributes.info.bpf_fd = (uint32_t)descriptor;
	attributes.info.info = (uintptr_t)info;
	attributes.info.info_len = (uint32_t)size;
	return bpf_system_call(BPF_OBJ_GET_INFO_BY_FD, &attributes, sizeof(attributes));
}

int bpf_map_named(const char *name, uint32_t type, uint32_t key_bytes, uint32_t value_bytes,
	uint32_t entries, uint32_t flags)
{
	union bpf_attr attributes = {0};

	attributes.map_type = type;
	attributes.key_size = key_bytes;
	attributes.value_size = value_bytes;
	attributes.max_entries = entries;
	attributes.map_flags = flags;
	snprintf(attributes.map_name, sizeof(attributes.map_name), "%s", name);
	return bpf_system_call(BPF_MAP_CREATE, &attributes, sizeof(attributes));
}

int bpf_map(
	uint32_t type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries, uint32_t flags)
{
	return bpf_map_named("vmtap", type, key_bytes, value_bytes, entries, flags);
}

/* Reads the name of a map; "" if that fails. */
static void name_map(int map, char *name)
{
	struct bpf_map_info info = {0};

	*name = '\0';
	if (!get_info(map, &info, sizeof(info)))
		memcpy(name, info.name, BPF_OBJ_NAME_LEN);
}

int bpf_map_find(const char *name, uint32_t *id)
{
	char found[BPF_OBJ_NAME_LEN];

	for (;;) {
		union bpf_attr attributes = {0};
		int map;

		attributes.start_id = *id;
		map = bpf_system_call(BPF_MAP_GET_NEXT_ID, &attributes, sizeof(attributes));
		if (map < 0)
			return map;
		*id = attributes.next_id;
		attributes = (union bpf_attr){0};
		attributes.map_id = *id;
		map = bpf_system_call(BPF_MAP_GET_FD_BY_ID, &attributes, sizeof(attributes));
		if (map == -ENOENT) /* it has been closed since */
			continue;
		if (map < 0)
			return map;
		name_map(map, found);
		if (!strncmp(found, name, sizeof(found)))
			return map;
		close(map);
	}
}

/* Describes a 4-byte integer (type 1) and an array of bytes (type 3), as a task map requires. */
static int describe_value(uint32_t value_bytes)
{
	static const char names[] = "\0key\0byte";
	const uint32_t types[] = {1, BTF_KIND_INT << 24, 4, 32, /* 1 */
		5, BTF_KIND_INT << 24, 1, 8,                    /* 2 */
		0, BTF_KIND_ARRAY << 24, 0, 2, 1, value_bytes}; /* 3 */
	struct {
		struct btf_header header;
		uint32_t types[sizeof(types) / sizeof(*types)];
		char names[sizeof(names)];
	} btf = {.header = {.magic = BTF_MAGIC,
			 .version = BTF_VERSION,
			 .hdr_len = sizeof(struct btf_header),
			 .type_len = sizeof(types),
			 .str_off = sizeof(types),
			 .str_len = sizeof(names)}};
	union bpf_attr attributes = {0};

	memcpy(btf.types, types, sizeof(types));
	memcpy(btf.names, names, sizeof(names));
	attributes.btf = (uintptr_t)&btf;
	attributes.btf_size = (uint32_t)(sizeof(btf.header) + sizeof(types) + sizeof(names));
	return bpf_system_call(BPF_BTF_LOAD, &attributes, sizeof(attributes));
}

int bpf_task_map(uint32_t value_bytes)
{
	union bpf_attr attributes = {0};
	int description = describe_value(value_bytes), map;

	if (description < 0)
		return description;
	attributes.map_type = BPF_MAP_TYPE_TASK_STORAGE;
	attributes.key_size = 4;
	attributes.value_size = value_bytes;
	attributes.map_flags = BPF_F_NO_PREALLOC;
	attributes.btf_fd = (uint32_t)description;
	attributes.btf_key_type_id = 1;
	attributes.btf_value_type_id = 3;
	memcpy(attributes.map_name, "vmtap", 6);
	map = bpf_system_call(BPF_MAP_CREATE, &attributes, sizeof(attributes));
	close(description);
	return map;
}

static int map_element(int command, int map, const void *key, const void *value)
{
	union bpf_attr attributes = {0};

	attributes.map_fd = (uint32_t)map;
	attributes.key = (uintptr_t)key;
	attributes.value = (uintptr_t)value;
	return bpf_system_call(command, &attributes, sizeof(attributes));
}

int bpf_map_set(int map, const void *key, const void *value)
{
	return map_element(BPF_MAP_UPDATE_ELEM, map, key, value);
}

int bpf_map_get(int map, const void *key, void *value)
{
	return map_element(BPF_MAP_LOOKUP_ELEM, map, key, value);
}

int bpf_map_delete(int map, const void *key)
{
	return map_element(BPF_MAP_DELETE_ELEM, map, key, NULL);
}

int bpf_map_read(int map, bool is_first, uint32_t *at, void *keys, void *values, uint32_t *count)
{
	union bpf_attr attributes = {0};
	int result;

	attributes.batch.map_fd = (uint32_t)map;
	attributes.batch.in_batch = is_first ? 0 : (uintptr_t)at;
	attributes.batch.out_batch = (uintptr_t)at;
	attributes.batch.keys = (uintptr_t)keys;
	attributes.batch.values = (uintptr_t)values;
	attributes.batch.count = *count;
	result = bpf_system_call(BPF_MAP_LOOKUP_BATCH, &attributes, sizeof(attributes));
	*count = result && result != -ENOENT ? 0 : attributes.batch.count;
	return result;
}

uint32_t bpf_cpu_count(void)
{
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");
	unsigned first = 0, last = 0;
	int found = file ? fscanf(file, "%u-%u", &first, &last) : 0;

	if (file)
		fclose(file);
	if (found == 2)
		return last + 1;
	return found == 1 ? first + 1 : (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
}

int bpf_map_next(int map, const void *key, void *next)
{
	return map_element(BPF_MAP_GET_NEXT_KEY, map, key, next);
}

/* ---- programs ---- */

/* Sets the kind of the program, and what it will be attached to. */
static void describe_program(
	union bpf_attr *attributes, unsigned flags, const struct bpf_function *function)
{
	attributes->prog_type = function ? BPF_PROG_TYPE_TRACING
		: flags & BPF_SAMPLES    ? BPF_PROG_TYPE_PERF_EVENT
		: flags & BPF_RAW        ? BPF_PROG_TYPE_RAW_TRACEPOINT
					 : BPF_PROG_TYPE_KPROBE;
	attributes->prog_flags = flags & BPF_SLEEPS ? BPF_F_SLEEPABLE : 0;
	if (flags & BPF_MULTI)
		attributes->expected_attach_type = (enum bpf_attach_type)ATTACH_UPROBE_MULTI;
	if (!function)
		return;
	attributes->expected_attach_type = function->is_iterator ? BPF_TRACE_ITER
		: function->is_tracepoint                        ? BPF_TRACE_RAW_TP
		: function->is_return                            ? BPF_TRACE_FEXIT
								 : BPF_TRACE_FENTRY;
	attributes->attach_btf_id = function->number;
	attributes->attach_btf_obj_fd = (uint32_t)function->module;
}

static int load_program(const struct bpf_insn *code, size_t count, unsigned flags,
	const struct bpf_function *function, char *log, uint32_t size)
{
	union bpf_attr attributes = {0};

	describe_program(&attributes, flags, function);
	attributes.insns = (uintptr_t)code;
	attributes.insn_cnt = (uint32_t)count;
	attributes.license = (uintptr_t)license;
	attributes.log_level = log ? 1 : 0;
	attributes.log_buf = (uintptr_t)log;
	attributes.log_size = size;
	memcpy(attributes.prog_name, "vmtap", 6);
	return bpf_system_call(BPF_PROG_LOAD, &attributes, sizeof(attributes));
}

int bpf_try_load(const struct bpf_insn *code, size_t count, unsigned flags,
	const struct bpf_function *function)
{
	return load_program(code, count, flags, function, NULL, 0);
}

int bpf_iterate(int program, void *bytes, size_t size)
{
	union bpf_attr attributes = {0};
	ssize_t got = 1;
	size_t done = 0;
	int link, iterator;

	attributes.link_create.prog_fd = (uint32_t)program;
	attributes.link_create.attach_type = BPF_TRACE_ITER;
	link = bpf_system_call(BPF_LINK_CREATE, &attributes, sizeof(attributes));
	if (link < 0)
		return link;
	attributes = (union bpf_attr){0};
	attributes.iter_create.link_fd = (uint32_t)link;
	iterator = bpf_system_call(BPF_ITER_CREATE, &attributes, sizeof(attributes));
	close(link);
	if (iterator < 0)
		return iterator;
	while (got > 0 && done < size) {
		got = read(iterator, (char *)bytes + done, size - done);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			done += (size_t)got;
	}
	close(iterator);
	return got < 0 ? -errno : (int)done;
}

/* Returns the last line, not counting the statistics, which begin with "processed". */
static const char *last_line(char *log)
{
	char *line = log;

	for (char *at = log; (at = strsep(&log, "\n"));) {
		debug_say(DEBUG_KERNEL, "%s", at);
		if (*at && strncmp(at, "processed ", 10))
			line = at;
	}
	return line;
}

/* Loads a program. If that fails for a reason other than missing privilege (-EPERM), error says
 * why. */
static int load_or_tell(const struct bpf_insn *code, size_t count, unsigned flags,
	const struct bpf_function *function, struct error *error)
{
	int program = bpf_try_load(code, count, flags, function);
	char *log;

	if (program >= 0 || program == -EPERM)
		return program;
	log = calloc(1, LOG_BYTES);
	if (log)
		load_program(code, count, flags, function, log, LOG_BYTES);
	error_set(error, -program, "the kernel refuses a program of %zu instructions (%s): %s",
		count, strerror(-program), log ? last_line(log) : "");
	free(log);
	return program;
}

int bpf_load(const struct bpf_insn *code, size_t count, unsigned flags, struct error *error)
{
	int program = load_or_tell(code, count, flags, NULL, error);

	return program != -EPERM ? program
				 : error_set(error, EPERM,
					   "the kernel allows no BPF program: it needs the "
					   "capabilities CAP_BPF and CAP_PERFMON; run "
					   "vmtap by sudo");
}

int bpf_load_function(const struct bpf_insn *code, size_t count,
	const struct bpf_function *function, struct error *error)
{
	int program = load_or_tell(code, count, 0, function, error);

	return program != -EPERM ? program
				 : error_set(error, EPERM,
					   "the kernel refuses programs at its functions (%s), "
					   "though not at tracepoints, as it does in lockdown",
					   strerror(EPERM));
}

int bpf_run(int program, uint32_t *returned)
{
	union bpf_attr attributes = {0};
	int result;

	attributes.test.prog_fd = (uint32_t)program;
	result = bpf_system_call(BPF_PROG_TEST_RUN, &attributes, sizeof(attributes));
	*returned = attributes.test.retval;
	return result;
}

uint64_t bpf_missed(int program)
{
	struct bpf_prog_info info = {0};

	return get_info(program, &info, sizeof(info)) ? 0 : info.recursion_misses;
}

int bpf_module_types(const char *module)
{
	uint32_t number = 0;

	for (;;) {
		union bpf_attr attributes = {0};
		char name[128] = "";
		struct bpf_btf_info info = {.name = (uintptr_t)name, .name_len = sizeof(name)};
		int types;

		attributes.start_id = number;
		types = bpf_system_call(BPF_BTF_GET_NEXT_ID, &attributes, sizeof(attributes));
		if (types < 0)
			return types;
		number = attributes.next_id;
		attributes = (union bpf_attr){0};
		attributes.btf_id = number;
		types = bpf_system_call(BPF_BTF_GET_FD_BY_ID, &attributes, sizeof(attributes));
		if (types == -ENOENT) /* it has been closed since */
			continue;
		if (types < 0)
			return types;
		if (!get_info(types, &info, sizeof(info)) && info.kernel_btf &&
			!strcmp(name, module))
			return types;
		close(types);
	}
}

/* ---- links ---- */

struct multi_attributes {
	uint32_t program, target, type, flags;
	uint64_t path, offsets, semaphores, cookies;
	uint32_t count, multi_flags, pid;
	uint8_t unused[64];
};

int bpf_attach_sites(int program, const struct bpf_sites *sites)
{
	struct multi_attributes attributes = {.program = (uint32_t)program,
		.type = ATTACH_UPROBE_MULTI,
		.path = (uintptr_t)sites->path,
		.offsets = (uintptr_t)sites->offsets,
		.semaphores = (uintptr_t)sites->semaphores,
		.cookies = (uintptr_t)sites->cookies,
		.count = sites->count,
		.multi_flags = sites->is_return ? MULTI_RETURN : 0,
		.pid = sites->pid};

	return bpf_system_call(BPF_LINK_CREATE, &attributes, sizeof(attributes));
}

/* Returns the number that the kernel has given to its kind of events for uprobes, or -ENOENT. */
static int uprobe_type(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
	int type = -ENOENT;

	if (file && fscanf(file, "%d", &type) != 1)
		type = -ENOENT;
	if (file)
		fclose(file);
	return type;
}

/* Attaches a program to a perf event, which it takes over. */
static int link_event(int program, int event, uint64_t cookie)
{
	union bpf_attr attributes = {0};
	int link;

	attributes.link_create.prog_fd = (uint32_t)program;
	attributes.link_create.target_fd = (uint32_t)event;
	attributes.link_create.attach_type = BPF_PERF_EVENT;
	attributes.link_create.perf_event.bpf_cookie = cookie;
	link = bpf_system_call(BPF_LINK_CREATE, &attributes, sizeof(attributes));
	close(event); /* the link keeps it */
	return link;
}

int bpf_attach_site(int program, const struct bpf_sites *sites, uint32_t index)
{
	int type = uprobe_type(), event;
	uint64_t semaphore = sites->semaphores ? sites->semaphores[index] : 0;
	struct perf_event_attr event_attributes = {.size = sizeof(event_attributes),
		.type = (uint32_t)type,
		.config = (sites->is_return ? 1 : 0) | semaphore << 32,
		.config1 = (uintptr_t)sites->path,
		.config2 = sites->offsets[index]};

	if (type < 0)
		return type;
	if (semaphore >> 32)
		return -EOVERFLOW;
	event = (int)syscall(SYS_perf_event_open, &event_attributes,
		sites->pid ? (int)sites->pid : -1, sites->pid ? -1 : 0, -1, PERF_FLAG_FD_CLOEXEC);
	return event < 0 ? -errno : link_event(program, event, sites->cookies[index]);
}

int bpf_attach_clock(int program, int processor, uint64_t period, uint64_t cookie)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period};
	int event = (int)syscall(
		SYS_perf_event_open, &attributes, -1, processor, -1, PERF_FLAG_FD_CLOEXEC);

	return event < 0 ? -errno : link_event(program, event, cookie);
}

int bpf_attach_raw(int program, const char *tracepoint)
{
	union bpf_attr attributes = {0};

	attributes.raw_tracepoint.name = (uintptr_t)tracepoint;
	attributes.raw_tracepoint.prog_fd = (uint32_t)program;
	return bpf_system_call(BPF_RAW_TRACEPOINT_OPEN, &attributes, sizeof(attributes));
}

/* ---- closing ---- */

struct closer {
	pthread_t thread;
	const int *descriptors;
	size_t count, step;
};

static void *close_some(void *argument)
{
	const struct closer *closer = argument;

	for (size_t i = 0; i < closer->count; i += closer->step)
		close(closer->descriptors[i]);
	return NULL;
}

void bpf_close_all(const int *descriptors, size_t count)
{
	size_t wanted = count <= CLOSE_AT_ONCE ? 1 : count < CLOSERS_MAX ? count : CLOSERS_MAX;
	size_t made = 0;
	struct closer closers[CLOSERS_MAX];

	for (size_t i = 0; i < wanted; i++)
		closers[i] = (struct closer){.descriptors = descriptors + i,
			.count = i < count ? count - i : 0,
			.step = wanted};
	for (size_t i = 1; i < wanted; i++, made++)
		if (pthread_create(&closers[i].thread, NULL, close_some, &closers[i]))
			break;
	close_some(&closers[0]);
	for (size_t i = 1; i < wanted; i++) {
		if (i <= made)
			pthread_join(closers[i].thread, NULL);
		else
			close_some(&closers[i]);
	}
}
