/*
 * process_images.c: see process_images.h.
 *
 * /proc/PID/maps is read completely before it is used. Mappings of one file (device and
 * inode) are grouped into one object, and only objects with an executable mapping are
 * opened.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/process_stat.h"
#include "usdt/process/heard_code.h"
#include "usdt/process/process_images.h"

enum {
	/* among the flags of /proc/PID/stat */
	FLAG_EXITING = 4,              /* PF_EXITING */
	FLAG_KERNEL_THREAD = 0x200000, /* PF_KTHREAD */
	EXECUTION_TRIES = 50,
	EXECUTION_MS = 1 /* between two of them */
};

/* maps represents a newline in a path as \012. */
static void unescape(char *path)
{
	char *to = path;

	for (const char *from = path; *from;) {
		if (from[0] == '\\' && from[1] == '0' && from[2] == '1' && from[3] == '2') {
			*to++ = '\n';
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
}

/* Removes what the kernel adds to the path of a deleted file. */
static void cut_deleted(char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path);

	if (length >= sizeof(mark) - 1 && !strcmp(path + length - (sizeof(mark) - 1), mark))
		path[length - (sizeof(mark) - 1)] = 0;
}

/* The object of a mapped file, created at its first mapping. NULL if memory runs out. */
static struct usdt_object *find_object(struct usdt_process *process, unsigned int device_major,
	unsigned int device_minor, uint64_t inode, const char *path)
{
	struct usdt_object *object;

	/* a file's mappings are nearly always consecutive: search from the end */
	for (size_t i = process->object_count; i-- > 0;) {
		object = &process->objects[i];
		if (object->inode == inode && object->device_major == device_major &&
			object->device_minor == device_minor)
			return object;
	}
	if (array_room(&process->objects, &process->object_room, process->object_count,
		    sizeof(*object)))
		return NULL;
	object = &process->objects[process->object_count];
	memset(object, 0, sizeof(*object));
	object->inode = inode;
	object->device_major = device_major;
	object->device_minor = device_minor;
	object->path = strdup(path);
	if (!object->path)
		return NULL;
	unescape(object->path);
	cut_deleted(object->path);
	process->object_count++;
	return object;
}

static int append_mapping(struct usdt_object *object, const struct usdt_mapping *mapping)
{
	if (array_room(&object->mappings, &object->mapping_room, object->mapping_count,
		    sizeof(*mapping)))
		return -ENOMEM;
	object->mappings[object->mapping_count++] = *mapping;
	return 0;
}

/* A mapping without a file: kept if it is executable. */
static int add_anonymous(
	struct usdt_process *process, const struct usdt_mapping *mapping, const char *name)
{
	if (!mapping->is_executable)
		return 0;
	if (strcmp(name, USDT_VDSO_PATH) == 0) {
		process->vdso = *mapping;
		return 0;
	}
	if (array_room(&process->anonymous, &process->anonymous_room, process->anonymous_count,
		    sizeof(*mapping)))
		return -ENOMEM;
	process->anonymous[process->anonymous_count++] = *mapping;
	return 0;
}

static int add_mapping(struct usdt_process *process, const char *line)
{
	uint64_t begin, end, offset, inode;
	unsigned int device_major, device_minor;
	char permissions[5];
	int path = 0;
	struct usdt_object *object;
	struct usdt_mapping mapping;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &begin,
		    &end, permissions, &offset, &device_major, &device_minor, &inode, &path) < 7 ||
		path == 0)
		return 0;
	mapping = (struct usdt_mapping){
		begin, end, offset, permissions[2] == 'x', permissions[1] == 'w'};
	if (inode == 0 || line[path] != '/')
		return add_anonymous(process, &mapping, line + path);
	object = find_object(process, device_major, device_minor, inode, line + path);
	if (!object)
		return -ENOMEM;
	return append_mapping(object, &mapping);
}

static int read_maps(struct usdt_process *process)
{
	char path[64];
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;
	bool any = false;
	int error = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)process->thread);
	maps = fopen(path, "re");
	if (!maps)
		return -errno;
	errno = 0;
	while (error == 0 && (length = getline(&line, &capacity, maps)) > 0) {
		any = true;
		if (line[length - 1] == '\n')
			line[length - 1] = 0;
		error = add_mapping(process, line);
	}
	if (error == 0 && !any)
		error = errno ? -errno : -ENODATA;
	free(line);
	fclose(maps);
	return error;
}

/* Opens path, but accepts only the file with the object's inode. */
static int open_same(const struct usdt_object *object, const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;

	if (file < 0)
		return -errno;
	/* some file systems show different device numbers in maps and in stat */
	if (fstat(file, &status) < 0 || status.st_ino != object->inode) {
		close(file);
		return -ESTALE;
	}
	return file;
}

/*
 * Whether this is the file of a mapping that was only heard of. It must not have changed since, or
 * it may be another file with the same number.
 */
static bool is_heard(const struct usdt_object *object, const struct stat *status)
{
	int64_t heard_at =
		(int64_t)(object->heard_at + clock_now(CLOCK_REALTIME) - clock_monotonic());
	int64_t changed =
		(int64_t)status->st_ctim.tv_sec * (int64_t)CLOCK_NS_PER_S + status->st_ctim.tv_nsec;

	return status->st_ino == object->inode && major(status->st_dev) == object->device_major &&
		minor(status->st_dev) == object->device_minor && changed <= heard_at;
}

/* Opens such a file, by the path that the process used. */
static int open_heard(const struct usdt_object *object)
{
	int file = open_same(object, object->path);
	struct stat status;

	if (file < 0)
		return file;
	if (!fstat(file, &status) && is_heard(object, &status))
		return file;
	close(file);
	return -ESTALE;
}

bool usdt_object_status(
	const struct usdt_process *process, const struct usdt_object *object, struct stat *status)
{
	char link[128];

	if (object->heard_at)
		return !stat(object->path, status) && is_heard(object, status);
	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		(int)process->thread, object->mappings[0].begin, object->mappings[0].end);
	return !stat(link, status);
}

int usdt_object_file(const struct usdt_process *process, const struct usdt_object *object)
{
	char link[128], target[4096];
	ssize_t length;
	char *path;
	int file, error;

	if (object->heard_at)
		return open_heard(object);
	snprintf(link, sizeof(link), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		(int)process->thread, object->mappings[0].begin, object->mappings[0].end);
	file = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file >= 0)
		return file;
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)process->thread);
	length = readlink(link, target, sizeof(target) - 1);
	if (length > 0) {
		target[length] = 0;
		cut_deleted(target);
		if (strcmp(target, object->path) == 0) {
			file = open_same(object, link);
			if (file >= 0)
				return file;
		}
	}
	if (asprintf(&path, "/proc/%d/root%s", (int)process->thread, object->path) < 0)
		return -ENOMEM;
	file = open_same(object, path);
	error = file < 0 ? file : 0;
	free(path);
	if (error == -ENOENT || error == -ESTALE)
		error = -ESTALE;
	return error < 0 ? error : file;
}

bool usdt_object_has_code(const struct usdt_object *object)
{
	for (size_t i = 0; i < object->mapping_count; i++)
		if (object->mappings[i].is_executable)
			return true;
	return false;
}

/* Records the problem in the object if the image cannot be read. */
int usdt_object_read(const struct usdt_process *process, struct usdt_object *object)
{
	struct error error;
	int file, result;

	if (!usdt_object_has_code(object))
		return 0;
	file = usdt_object_file(process, object);
	if (file == -ESTALE) {
		result = error_set(&error, ESTALE,
			"%s: deleted or replaced since process %d mapped it; only root can read "
			"the old file",
			object->path, (int)process->pid);
	} else if (file < 0) {
		errno = -file;
		result = error_set(&error, -file, "%s: %m", object->path);
	} else {
		result = usdt_image_read(file, object->path, &object->image, &error);
		close(file);
	}
	/* ignore data files that happen to be mapped executable */
	if (result == 0 || result == -ENOEXEC)
		return 0;
	object->problem = strdup(error.text);
	return object->problem ? 0 : -ENOMEM;
}

/* Returns the flags of a thread that has not ended, FLAG_EXITING of one that has. */
static unsigned int thread_flags(long thread)
{
	char text[PROCESS_STAT_BYTES];
	const char *fields = process_stat_read((uint32_t)thread, text);
	unsigned int flags = 0;
	char state = 'X';

	if (!fields || sscanf(fields, " %c %*d %*d %*d %*d %*d %u", &state, &flags) != 2 ||
		state == 'Z' || state == 'X')
		return FLAG_EXITING;
	return flags;
}

/*
 * Whether a thread has ended or is ending: it runs no code of the program any more. /proc shows all
 * threads as it shows processes. A thread that ends shows so in its flags before the kernel tells
 * of its end, and in its state only later, when its memory has been freed.
 */
static bool has_ended(long thread)
{
	return thread_flags(thread) & FLAG_EXITING;
}

/*
 * Reads the mappings of a process that had none when they were read: it was executing another
 * program just then, if it is a program that runs. -ENODATA: it has none.
 */
static int read_maps_again(struct usdt_process *process)
{
	int result = -ENODATA;

	for (int i = 0; i < EXECUTION_TRIES && result == -ENODATA; i++) {
		if (thread_flags(process->thread) & (FLAG_EXITING | FLAG_KERNEL_THREAD))
			return result;
		poll(NULL, 0, i ? EXECUTION_MS : 0);
		result = read_maps(process);
	}
	return result;
}

pid_t usdt_process_thread(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	long found = 0;
	DIR *threads;

	if (!has_ended(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	while (threads && !found && (entry = readdir(threads))) {
		long thread = strtol(entry->d_name, NULL, 10);

		if (thread > 0 && !has_ended(thread))
			found = thread;
	}
	if (threads)
		closedir(threads);
	return (pid_t)found;
}

int usdt_process_map(pid_t pid, struct usdt_process **process, struct error *error)
{
	struct usdt_process *made = calloc(1, sizeof(*made));
	int result = made ? 0 : -ENOMEM;

	*process = NULL;
	if (result == 0) {
		made->pid = made->thread = pid;
		made->memory = -1;
		result = read_maps(made);
	}
	if (result == -ENODATA) {
		pid_t thread = usdt_process_thread(pid);

		made->thread = thread ? thread : pid;
		result = made->thread == pid ? read_maps_again(made) : read_maps(made);
	}
	switch (result) {
	case 0:
		break;
	case -ENOENT:
	case -ESRCH:
		result = error_set(error, ESRCH, "process %d does not exist", (int)pid);
		break;
	case -EACCES:
	case -EPERM:
		error_set(error, EACCES,
			geteuid() ? "process %d: belongs to another user, or may not be examined; "
				    "try as root"
				  : "process %d: may not be examined: root's capability "
				    "CAP_SYS_PTRACE is missing here, as in many containers",
			(int)pid);
		break;
	case -ENODATA:
		error_set(error, ENODATA,
			"process %d: has no memory (a kernel thread, or it has ended)", (int)pid);
		break;
	default:
		errno = -result;
		error_set(error, -result, "process %d: %m", (int)pid);
	}
	if (result == 0)
		*process = made;
	else
		usdt_process_free(made);
	return result;
}

struct usdt_process *usdt_process_ended(pid_t pid)
{
	struct usdt_process *process = calloc(1, sizeof(*process));

	if (process) {
		process->pid = process->thread = pid;
		process->memory = -1;
	}
	return process;
}

static bool overlaps(
	const struct usdt_mapping *mappings, size_t count, uint64_t begin, uint64_t end)
{
	for (size_t i = 0; i < count; i++)
		if (mappings[i].begin < end && begin < mappings[i].end)
			return true;
	return false;
}

static bool has_other(const struct usdt_process *process, const struct heard_mapping *heard)
{
	for (size_t i = 0; i < process->object_count; i++)
		if (overlaps(process->objects[i].mappings, process->objects[i].mapping_count,
			    heard->begin, heard->end))
			return true;
	return overlaps(&process->vdso, 1, heard->begin, heard->end) ||
		overlaps(process->anonymous, process->anonymous_count, heard->begin, heard->end);
}

int usdt_process_hear(
	struct usdt_process *process, const struct heard_mapping *mappings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct heard_mapping *heard = &mappings[i];
		const struct usdt_mapping mapping = {
			heard->begin, heard->end, heard->offset, true, false};
		struct usdt_object *object;

		if (has_other(process, heard))
			continue;
		if (!strcmp(heard->path, USDT_VDSO_PATH)) {
			if (array_room(&process->former_vdsos, &process->former_vdso_room,
				    process->former_vdso_count, sizeof(mapping)))
				return -ENOMEM;
			process->former_vdsos[process->former_vdso_count++] = mapping;
			continue;
		}
		object = find_object(process, heard->device_major, heard->device_minor,
			heard->inode, heard->path);
		if (!object)
			return -ENOMEM;
		if (!object->mapping_count)
			object->heard_at = heard->time;
		if (append_mapping(object, &mapping))
			return -ENOMEM;
	}
	return 0;
}

void usdt_process_open_memory(struct usdt_process *process)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)process->thread);
	process->memory = open(path, O_RDONLY | O_CLOEXEC);
}

int usdt_process_open(pid_t pid, struct usdt_process **process, struct error *error)
{
	int result = usdt_process_map(pid, process, error);
	struct usdt_process *made = *process;

	for (size_t i = 0; result == 0 && i < made->object_count; i++) {
		result = usdt_object_read(made, &made->objects[i]);
		if (result < 0)
			error_set(error, -result, "process %d: out of memory", (int)pid);
	}
	if (result == 0) {
		usdt_process_open_memory(made);
	} else {
		usdt_process_free(made);
		*process = NULL;
	}
	return result;
}

void usdt_process_free(struct usdt_process *process)
{
	if (!process)
		return;
	for (size_t i = 0; i < process->object_count; i++) {
		struct usdt_object *object = &process->objects[i];

		usdt_image_free(object->image);
		free(object->mappings);
		free(object->problem);
		free(object->path);
	}
	if (process->memory >= 0)
		close(process->memory);
	free(process->objects);
	free(process->anonymous);
	free(process->former_vdsos);
	free(process);
}

uint64_t usdt_object_address(const struct usdt_object *object, uint64_t offset, bool writable)
{
	for (size_t i = 0; i < object->mapping_count; i++) {
		const struct usdt_mapping *mapping = &object->mappings[i];

		if ((writable ? mapping->is_writable : mapping->is_executable) &&
			offset >= mapping->offset &&
			offset - mapping->offset < mapping->end - mapping->begin)
			return mapping->begin + (offset - mapping->offset);
	}
	return 0;
}

int usdt_process_memory(
	const struct usdt_process *process, uint64_t address, void *bytes, size_t count)
{
	ssize_t got;

	if (process->memory < 0)
		return -EACCES;
	if (address > INT64_MAX)
		return -EFAULT;
	got = pread(process->memory, bytes, count, (off_t)address);
	if (got < 0)
		return -errno;
	return (size_t)got == count ? 0 : -EFAULT;
}
