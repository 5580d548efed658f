/* kernel_target.c: see kernel_target.h. */
#include "source/kernel/kernel_target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "usdt/pid_probe.h"

int kernel_target_open(struct kernel_target *target, uint32_t pid, struct error *error)
{
	int result;

	*target = (struct kernel_target){.pid = pid};
	result = usdt_process_open((pid_t)pid, &target->process, error);
	if (result)
		return result;
	target->files = calloc(target->process->object_count + 1, sizeof(*target->files));
	if (!target->files)
		return error_set(error, ENOMEM, "process %u: out of memory", (unsigned int)pid);
	for (size_t i = 0; i < target->process->object_count; i++) {
		const struct usdt_object *object = &target->process->objects[i];
		const char *slash = strrchr(object->path, '/');

		target->files[target->file_count++] = (struct kernel_file){.object = object,
			.descriptor = -1,
			.name = slash ? slash + 1 : object->path};
	}
	return 0;
}

void kernel_target_close(struct kernel_target *target)
{
	for (uint32_t i = 0; i < target->file_count; i++)
		if (target->files[i].descriptor >= 0)
			close(target->files[i].descriptor);
	pid_finder_free(target->finder);
	usdt_process_free(target->process);
	arena_free(&target->texts);
	free(target->files);
	free(target->sites);
	free(target->obstacles);
	*target = (struct kernel_target){0};
}

int kernel_target_add_site(struct kernel_target *target, const struct kernel_site *site)
{
	if (array_room(&target->sites, &target->site_capacity, target->site_count, sizeof(*site)))
		return -ENOMEM;
	target->sites[target->site_count++] = *site;
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

int kernel_target_file(struct kernel_target *target, uint32_t file)
{
	struct kernel_file *found = &target->files[file];

	if (found->descriptor < 0)
		found->descriptor = usdt_object_file(target->process, found->object);
	return found->descriptor;
}
