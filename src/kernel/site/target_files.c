/*
 * target_files.c: see target_files.h. A file is recognized by its inode only while we hold a
 * descriptor of it or its mapping has stayed; otherwise another file may have got the number.
 */
#include "kernel/site/target_files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "usdt/code/pid_probe.h"

static bool is_same_file(const struct usdt_object *one, const struct usdt_object *other)
{
	return one->inode == other->inode && one->device_major == other->device_major &&
		one->device_minor == other->device_minor;
}

/*
 * Returns whether all code and data of an object were mapped before as they are now. If not, the
 * process may have been scanned while it was just mapping them, or it only had the file open to
 * read.
 */
static bool was_mapped(const struct usdt_object *object, const struct usdt_object *before)
{
	for (size_t i = 0; i < object->mapping_count; i++) {
		const struct usdt_mapping *now = &object->mappings[i];
		bool was = !now->is_executable && !now->is_writable;

		for (size_t j = 0; j < before->mapping_count && !was; j++) {
			const struct usdt_mapping *then = &before->mappings[j];

			was = then->begin <= now->begin && then->end >= now->end &&
				then->begin - then->offset == now->begin - now->offset &&
				then->is_executable >= now->is_executable &&
				then->is_writable >= now->is_writable;
		}
		if (!was)
			return false;
	}
	return true;
}

static bool is_known(const struct usdt_object *object, const struct kernel_target *const *known,
	size_t known_count)
{
	for (size_t i = 0; i < known_count; i++)
		for (uint32_t j = 0; known[i] && j < known[i]->file_count; j++) {
			const struct kernel_file *file = &known[i]->files[j];

			/* without a mapping or a descriptor, another file may have got the inode */
			if (is_same_file(object, file->object) &&
				(file->descriptor >= 0 ||
					(i == 0 && was_mapped(object, file->object))))
				return true;
		}
	return false;
}

/* Returns when the file was changed last; -1: it cannot be opened. */
static int64_t changed_at(const struct usdt_process *process, const struct usdt_object *object)
{
	int file = usdt_object_file(process, object);
	struct stat status;
	int64_t result = -1;

	if (file < 0)
		return -1;
	if (!fstat(file, &status))
		result = (int64_t)status.st_ctim.tv_sec * CLOCK_NS_PER_S + status.st_ctim.tv_nsec;
	close(file);
	return result;
}

static bool is_seen(const struct usdt_process *process, const struct usdt_object *object,
	const struct kernel_seen *seen)
{
	int64_t changed = -1;

	for (size_t i = 0; seen && i < seen->count; i++) {
		const struct kernel_seen_file *file = &seen->files[i];

		if (file->inode != object->inode || file->device_major != object->device_major ||
			file->device_minor != object->device_minor)
			continue;
		if (changed < 0)
			changed = changed_at(process, object);
		if (changed == file->changed)
			return true;
	}
	return false;
}

int kernel_target_see(struct kernel_target *target, uint32_t file, struct kernel_seen *seen)
{
	const struct usdt_object *object = target->files[file].object;
	int64_t changed = changed_at(target->process, object);

	if (changed < 0)
		return 0;
	if (array_room(&seen->files, &seen->capacity, seen->count, sizeof(*seen->files)))
		return -ENOMEM;
	seen->files[seen->count++] = (struct kernel_seen_file){
		object->inode, object->device_major, object->device_minor, changed};
	return 0;
}

int kernel_target_open_later(struct kernel_target *target, uint32_t pid,
	const struct kernel_target *const *known, size_t known_count,
	const struct kernel_seen *seen, struct error *error)
{
	int result;

	*target = (struct kernel_target){.pid = pid};
	result = usdt_process_map((pid_t)pid, &target->process, error);
	if (result)
		return result;
	usdt_process_open_memory(target->process);
	target->files = calloc(target->process->object_count + 1, sizeof(*target->files));
	for (size_t i = 0; i < target->process->object_count && target->files; i++) {
		struct usdt_object *object = &target->process->objects[i];
		struct kernel_file *file = &target->files[target->file_count++];
		const char *slash = strrchr(object->path, '/');

		*file = (struct kernel_file){.object = object,
			.descriptor = -1,
			.name = slash ? slash + 1 : object->path,
			.is_known = is_known(object, known, known_count)};
		file->is_seen = !file->is_known && is_seen(target->process, object, seen);
		if (!file->is_known && !file->is_seen && usdt_object_read(target->process, object))
			return error_set(
				error, ENOMEM, "process %u: out of memory", (unsigned int)pid);
	}
	return target->files
		? 0
		: error_set(error, ENOMEM, "process %u: out of memory", (unsigned int)pid);
}

int kernel_target_open(struct kernel_target *target, uint32_t pid, struct error *error)
{
	return kernel_target_open_later(target, pid, NULL, 0, NULL, error);
}

void kernel_target_close(struct kernel_target *target)
{
	for (uint32_t i = 0; i < target->file_count; i++)
		if (target->files[i].descriptor >= 0)
			close(target->files[i].descriptor);
	pid_finder_free(target->finder);
	kernel_places_free(&target->places);
	usdt_process_free(target->process);
	arena_free(&target->texts);
	arena_free(&target->operands);
	free(target->files);
	free(target->sites);
	free(target->obstacles);
	*target = (struct kernel_target){0};
}

/* Copies the arguments, unless they are the same as the previous site's, which is often so. */
static struct kernel_operand *keep_arguments(
	struct kernel_target *target, const struct kernel_site *site)
{
	const struct kernel_site *before = target->sites + target->site_count - 1;
	size_t bytes = site->argument_count * sizeof(*site->arguments);
	struct kernel_operand *kept;

	if (target->site_count && before->argument_count == site->argument_count &&
		!memcmp(before->arguments, site->arguments, bytes))
		return before->arguments;
	kept = arena_get(&target->operands, bytes + 1);
	if (kept)
		memcpy(kept, site->arguments, bytes);
	return kept;
}

int kernel_target_add_site(struct kernel_target *target, const struct kernel_site *site)
{
	struct kernel_operand *arguments;

	if (array_room(&target->sites, &target->site_capacity, target->site_count, sizeof(*site)))
		return -ENOMEM;
	arguments = keep_arguments(target, site);
	if (!arguments)
		return -ENOMEM;
	target->sites[target->site_count] = *site;
	target->sites[target->site_count++].arguments = arguments;
	return 0;
}

int kernel_target_add_obstacle(
	struct kernel_target *target, uint32_t probe, const char *format, ...)
{
	char reason[1024], *copy;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	copy = arena_get(&target->texts, strlen(reason) + 1);
	if (!copy ||
		array_room(&target->obstacles, &target->obstacle_capacity, target->obstacle_count,
			sizeof(*target->obstacles)))
		return -ENOMEM;
	strcpy(copy, reason);
	target->obstacles[target->obstacle_count++] =
		(struct kernel_obstacle){.probe = probe, .reason = copy};
	return 0;
}

void kernel_target_renumber(struct kernel_target *target, const uint32_t *numbers)
{
	for (size_t i = 0; i < target->site_count; i++)
		target->sites[i].probe = numbers[target->sites[i].probe];
	for (size_t i = 0; i < target->obstacle_count; i++)
		if (target->obstacles[i].probe != KERNEL_NO_PROBE)
			target->obstacles[i].probe = numbers[target->obstacles[i].probe];
}

int kernel_target_file(struct kernel_target *target, uint32_t file)
{
	struct kernel_file *found = &target->files[file];

	if (found->descriptor < 0)
		found->descriptor = usdt_object_file(target->process, found->object);
	return found->descriptor;
}
