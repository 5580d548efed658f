/*
 * pid_finder.c: see pid_finder.h. A file is opened and read when it is first seen. Later only
 * its mappings change.
 */
#include "usdt/code/pid_finder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

uint64_t pid_file_address(const struct pid_file *file, uint64_t offset)
{
	for (size_t i = 0; i < file->mapping_count; i++) {
		const struct usdt_mapping *mapping = &file->mappings[i];

		if (offset >= mapping->offset &&
			offset - mapping->offset < mapping->end - mapping->begin)
			return mapping->begin + (offset - mapping->offset);
	}
	return 0;
}

bool pid_file_offset(const struct pid_file *file, uint64_t address, uint64_t *offset)
{
	for (size_t i = 0; i < file->mapping_count; i++) {
		const struct usdt_mapping *mapping = &file->mappings[i];

		if (address >= mapping->begin && address < mapping->end) {
			*offset = mapping->offset + (address - mapping->begin);
			return true;
		}
	}
	return false;
}

static void free_file(struct pid_file *file)
{
	if (!file)
		return;
	code_object_free(&file->code);
	free(file->path);
	free(file->problem);
	free(file->mappings);
	free(file);
}

static struct pid_file *find_file(const struct pid_finder *finder, const struct usdt_object *object)
{
	for (size_t i = 0; i < finder->count; i++) {
		const struct pid_module *module = &finder->files[i]->module;

		if (module->inode == object->inode &&
			module->device_major == object->device_major &&
			module->device_minor == object->device_minor)
			return finder->files[i];
	}
	return NULL;
}

/* Whether the object is the process's program. */
static bool is_program(pid_t pid, const struct usdt_object *object)
{
	static const char deleted[] = " (deleted)";
	char path[64], target[PATH_MAX];
	struct stat status;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &status) < 0 || status.st_ino != object->inode)
		return false;
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	if ((size_t)length > sizeof(deleted) &&
		!strcmp(target + length - (sizeof(deleted) - 1), deleted))
		target[length - (ssize_t)(sizeof(deleted) - 1)] = '\0';
	return !strcmp(target, object->path);
}

/* Opens and reads a file that is new. -ENOEXEC: it has no code for us; else 0 or -ENOMEM. */
static int read_file(
	const struct usdt_process *process, const struct usdt_object *object, struct pid_file *file)
{
	const char *slash;
	int opened, result;

	file->code.file = -1;
	file->path = strdup(object->path);
	if (!file->path)
		return -ENOMEM;
	slash = strrchr(file->path, '/');
	file->module = (struct pid_module){.name = slash ? slash + 1 : file->path,
		.path = file->path,
		.inode = object->inode,
		.device_major = object->device_major,
		.device_minor = object->device_minor,
		.file = -1,
		.is_executable = is_program(process->pid, object)};
	opened = usdt_object_file(process, object);
	result = opened < 0 ? opened : code_object_read(opened, file->path, &file->code);
	file->module.file = file->code.file;
	if (result == 0 && !code_is_known(file->code.machine)) {
		file->problem = strdup("only code for x86-64 and aarch64 can be probed");
		result = file->problem ? 0 : -ENOMEM;
	} else if (result < 0 && result != -ENOEXEC && result != -ENOMEM) {
		errno = -result;
		if (result == -ESTALE)
			file->problem = strdup(
				"deleted or replaced since it was mapped; only root can read it");
		else if (asprintf(&file->problem, "it cannot be read: %m") < 0)
			file->problem = NULL;
		result = file->problem ? 0 : -ENOMEM;
	}
	return result;
}

/* Notes the executable mappings of an object; nothing if it has none. 0 or -ENOMEM. */
static int see_object(struct pid_finder *finder, const struct usdt_process *process,
	const struct usdt_object *object)
{
	struct usdt_mapping *mappings = calloc(object->mapping_count + 1, sizeof(*mappings));
	struct pid_file *file = find_file(finder, object), *made = NULL;
	size_t count = 0;
	int result = 0;

	if (!mappings)
		return -ENOMEM;
	for (size_t i = 0; i < object->mapping_count; i++)
		if (object->mappings[i].is_executable)
			mappings[count++] = object->mappings[i];
	if (count > 0 && !file) {
		result = array_room(
			&finder->files, &finder->capacity, finder->count, sizeof(*finder->files));
		if (result == 0 && !(made = calloc(1, sizeof(*made))))
			result = -ENOMEM;
		if (result == 0)
			result = read_file(process, object, made);
		if (result == 0) {
			finder->files[finder->count++] = file = made;
			finder->leaves |= file->code.leaves;
			made = NULL;
		}
	}
	if (result == 0 && file) {
		free(file->mappings);
		file->mappings = mappings;
		file->mapping_count = count;
		mappings = NULL;
	}
	free_file(made);
	free(mappings);
	return result == -ENOEXEC ? 0 : result;
}

int pid_finder_update(struct pid_finder *finder, struct error *error)
{
	struct usdt_process *process;
	int result = usdt_process_map(finder->pid, &process, error);

	if (result < 0)
		return result;
	for (size_t i = 0; i < finder->count; i++)
		finder->files[i]->mapping_count = 0;
	for (size_t i = 0; result == 0 && i < process->object_count; i++)
		result = see_object(finder, process, &process->objects[i]);
	usdt_process_free(process);
	if (result < 0)
		error_set(error, -result, "process %d: out of memory", (int)finder->pid);
	return result;
}

int pid_finder_advance(struct pid_finder *finder, struct error *error)
{
	finder->searched = finder->count;
	return pid_finder_update(finder, error);
}

bool pid_finder_knows(const struct pid_finder *finder, uint64_t inode, unsigned int device_major,
	unsigned int device_minor)
{
	const struct usdt_object object = {
		.inode = inode, .device_major = device_major, .device_minor = device_minor};

	return find_file(finder, &object) != NULL;
}

int pid_finder_new(pid_t pid, struct pid_finder **finder, struct error *error)
{
	struct pid_finder *made = calloc(1, sizeof(*made));
	int result;

	*finder = NULL;
	if (!made)
		return error_set(error, ENOMEM, "process %d: out of memory", (int)pid);
	made->pid = pid;
	result = pid_finder_update(made, error);
	if (result < 0)
		pid_finder_free(made);
	else
		*finder = made;
	return result;
}

void pid_finder_free(struct pid_finder *finder)
{
	if (!finder)
		return;
	for (size_t i = 0; i < finder->count; i++)
		free_file(finder->files[i]);
	free(finder->files);
	free(finder);
}
